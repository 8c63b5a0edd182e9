const INDEX = /^\d+$/

/** A list that counts how often its elements are read: work that is the same on every machine. */
export function countedReads<T>(items: readonly T[]): { items: T[]; reads: () => number } {
  let count = 0
  const counted = new Proxy([...items], {
    get(target, key, receiver) {
      if (typeof key === 'string' && INDEX.test(key)) count++
      return Reflect.get(target, key, receiver)
    },
  })
  return { items: counted, reads: () => count }
}

/** Files whose paths are counted when they are read. */
export function countedPaths<T extends { path: string }>(files: readonly T[]): { files: T[]; reads: () => number } {
  let count = 0
  const counted = files.map(({ path, ...file }) =>
    Object.defineProperty(file, 'path', {
      enumerable: true,
      get() {
        count++
        return path
      },
    }),
  )
  return { files: counted as T[], reads: () => count }
}

type Method = (this: unknown, ...args: unknown[]) => unknown

/** How many characters a method of strings looks at. */
const CHARACTERS: Record<string, (text: string, from: number | undefined, found: unknown) => number> = {
  charCodeAt: () => 1,
  charAt: () => 1,
  startsWith: () => 1,
  indexOf: (text, from = 0, found) => (found === -1 ? text.length : Number(found)) - from + 1,
  lastIndexOf: (text, from = text.length, found) => from - Number(found) + 1,
}

function replaced(prototype: object, name: string, stepsOf: (self: unknown, args: unknown[], result: unknown) => void) {
  const own = Object.getOwnPropertyDescriptor(prototype, name)
  const method = own?.value as Method | undefined
  if (own === undefined || method === undefined) throw new Error(`${name} is no method`)
  Object.defineProperty(prototype, name, {
    ...own,
    value(this: unknown, ...args: unknown[]) {
      const result = method.apply(this, args)
      stepsOf(this, args, result)
      return result
    },
  })
  return () => Object.defineProperty(prototype, name, own)
}

/**
 * How much is done while some work is done, the same on every machine: the calls of methods of a class, and the
 * characters of strings that are looked at.
 */
export function workDuring(prototype: object, methods: readonly string[], work: () => unknown): number {
  let steps = 0
  const restore = [
    ...methods.map(name => replaced(prototype, name, () => steps++)),
    ...Object.entries(CHARACTERS).map(([name, charactersOf]) =>
      replaced(String.prototype, name, (self, args, result) => {
        steps += charactersOf(String(self), args[1] as number | undefined, result)
      }),
    ),
  ]
  try {
    work()
  } finally {
    for (const undo of restore) undo()
  }
  return steps
}

/** For four times the text; what is quadratic takes sixteen times as many steps. */
const MOST_GROWTH = 6

/**
 * Whether four times the text takes more than about four times the steps, also where it is so long that no bounded look
 * ahead ends with the text.
 */
export function growsTooFast(stepsOf: (length: number) => number, { from, to }: { from: number; to: number }): boolean {
  for (let length = from; length <= to; length *= 4) {
    if (stepsOf(4 * length) <= MOST_GROWTH * stepsOf(length)) return false
  }
  return true
}
