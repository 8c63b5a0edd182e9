import { isAway } from './is-away.ts'

interface LooksDeps<Known> {
  now: () => number
  /** Looks a thing up. */
  known: (name: string) => Promise<Known>
  /** Makes the thing that was found be here. @returns What says why it is not, or not as it is now; null: it is. */
  here: (known: Known) => Promise<unknown>
  onAway: (error: unknown) => void
}

/** Looks at what others may change, each at most once a second unless somebody says that it changed. */
interface Looks {
  /** Looks it up. @returns What says that nobody could be asked; null: it was looked up. */
  know(name: string): Promise<unknown>
  /** As `know`, and has the thing here. @returns What says that it may not be here; null: it is. */
  bring(name: string): Promise<unknown>
  /** Whether `know` has nothing to wait for: it was looked up a moment ago. */
  isKnown(name: string): boolean
  /** Whether `bring` has nothing to wait for: the thing came to be here a moment ago. */
  isHere(name: string): boolean
  forget(name: string): void
  clear(): void
}

/** A change of which no notification came is seen after this time. */
const FRESH_MS = 1_000
const MAX_KNOWN = 100_000

interface Asked<T> {
  at: number
  working: Promise<T>
  /** Once it is there, for those who need not wait for a promise: most requests ask several times. */
  answer?: { value: T }
}

/** Work that is done once for all who ask within a second; a failure is forgotten at once. */
function onceASecond<T>(work: (name: string) => Promise<T>, now: () => number) {
  const done = new Map<string, Asked<T>>()
  const fresh = (key: string): Asked<T> | undefined => {
    const known = done.get(key)
    return known !== undefined && now() - known.at < FRESH_MS ? known : undefined
  }
  return {
    done,
    answerOf: (name: string): { value: T } | undefined => fresh(name.toLowerCase())?.answer,
    ask(name: string): Promise<T> {
      const key = name.toLowerCase()
      const known = fresh(key)
      if (known !== undefined) return known.working
      const asked: Asked<T> = { at: now(), working: work(name) }
      asked.working.then(
        value => {
          asked.answer = { value }
        },
        () => {
          if (done.get(key) === asked) done.delete(key)
        },
      )
      if (done.size >= MAX_KNOWN) done.clear()
      done.set(key, asked)
      return asked.working
    },
  }
}

/** Remembers looks for a second; what is away is reported, and no error of whoever asks. */
export function createLooks<Known>({ now, known, here, onAway }: LooksDeps<Known>): Looks {
  const knowing = onceASecond(known, now)
  const bringing = onceASecond(async name => here(await knowing.ask(name)), now)

  const unlessAway = async (looking: Promise<unknown>): Promise<unknown> => {
    try {
      return await looking
    } catch (error) {
      if (!isAway(error)) throw error
      onAway(error)
      return error
    }
  }

  return {
    know: name => unlessAway(knowing.ask(name).then(() => null)),
    bring: name => unlessAway(bringing.ask(name)),
    isKnown: name => knowing.answerOf(name) !== undefined,
    isHere: name => bringing.answerOf(name)?.value === null,
    forget(name) {
      knowing.done.delete(name.toLowerCase())
      bringing.done.delete(name.toLowerCase())
    },
    clear() {
      knowing.done.clear()
      bringing.done.clear()
    },
  }
}
