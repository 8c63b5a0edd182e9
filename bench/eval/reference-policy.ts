// What a model without wit looks at: the names in a failure and in the code it was shown, one after the other.
import type { MappedFrame } from '../../src/core/frame.ts'
import type { Look } from '../../src/pipelines/resolve/investigate/look.ts'

/** A call of a tool as a model makes it. */
interface PolicyCall {
  name: 'find_definition' | 'find_references' | 'search_code' | 'read_code'
  arguments: string
}

/** What the policy is shown at first. */
interface Shown {
  trace: string
  /** Types and messages of the exceptions, the failing one first. */
  messages: readonly string[]
  /** The failing one first. */
  frames: readonly MappedFrame[]
  /** Files that the search came to, which the question names and does not show. */
  named: readonly string[]
  /** The code of a frame as the context shows it: its line and the function around it; null where it is not there. */
  codeOf: (frame: MappedFrame) => { line: string; scope: string | null } | null
}

interface Lead extends PolicyCall {
  weight: number
  /** What asking is about. */
  about: string
}

const MAX_FRAMES = 5
const MAX_NAMED = 5
const MAX_MESSAGE_CHARS = 300
const CALLED = /([A-Za-z_$][\w$]*)\s*[({.!?]/g
const NAMED = /[A-Za-z_$][\w$]*/g
/** Names that look made: two humps, an underline, or a hump inside. */
const MADE = /^(?:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z]+[A-Z]\w*|\w+_\w+)$/
const TOO_COMMON = new Set(
  (
    'self this super return raise throw throws assert print println format append length size string list dict type ' +
    'class def function func fn let const var new import from none null true false with while for else elif case ' +
    'error exception options value values result data name key keys items index args kwargs config test main run ' +
    'call apply init get set put open read write close next join map filter push each to_s include require file ' +
    'require_relative stdin module object Object String List Array Error initialize constructor toString isinstance'
  ).split(' '),
)

/** Names that say something: not those of every language, nor `__init__` and its like. */
const isTelling = (name: string): boolean =>
  name.length > 3 && !TOO_COMMON.has(name) && !/^_*$|^__\w+__$/.test(name) && /^\w+$/.test(name)

/** Libraries define most errors, so there is little to find. */
const isError = (name: string): boolean => /(?:Error|Exception|Warning)$/.test(name)

const definitionOf = (name: string, weight: number): Lead => ({
  name: 'find_definition',
  arguments: JSON.stringify({ name, limit: 5 }),
  weight,
  about: name,
})
const referencesTo = (name: string, weight: number): Lead => ({
  name: 'find_references',
  arguments: JSON.stringify({ name, limit: 20 }),
  weight,
  about: name,
})

/** The last part of a printed function: `contents_range` of `RangeHelp#contents_range`. */
const lastName = (printed: string): string =>
  printed
    .replace(/\(.*$/, '')
    .split(/[.#:$ ]/)
    .at(-1) ?? printed

const namesIn = (text: string, pattern: RegExp): string[] => [
  ...new Set(Array.from(text.matchAll(pattern), match => match[1] ?? match[0]).filter(isTelling)),
]

/** Chooses what to look at next, and learns from what came of it. It never sees the fix. */
export class ReferencePolicy {
  readonly #leads: Lead[] = []
  readonly #asked = new Set<string>()

  constructor({ trace, messages, frames, named, codeOf }: Shown) {
    for (const [i, path] of named.slice(0, MAX_NAMED).entries()) {
      this.#add({ name: 'read_code', arguments: JSON.stringify({ path }), weight: 9.4 - i / 2, about: path })
    }
    const own = frames.filter(({ path }) => path !== null)
    const others = frames.filter(({ path, file }) => path === null && file === null)
    for (const [i, frame] of own.slice(0, MAX_FRAMES).entries()) this.#addFrame(frame, i, codeOf(frame))
    for (const [i, frame] of others.slice(0, MAX_FRAMES).entries()) this.#addFrame(frame, i, null)
    for (const message of messages.slice(0, 2)) {
      for (const name of namesIn(message, NAMED).filter(one => MADE.test(one))) {
        this.#add(definitionOf(name, isError(name) ? 2 : 9))
      }
    }
    for (const name of namesIn(this.#proseOf(trace), NAMED).filter(one => MADE.test(one))) {
      this.#add(definitionOf(name, isError(name) ? 2 : 8))
    }
    const words = messages[0] ?? ''
    if (words.trim() !== '') {
      const query = words.slice(0, MAX_MESSAGE_CHARS)
      this.#add({ name: 'search_code', arguments: JSON.stringify({ query }), weight: 6.5, about: query })
    }
  }

  /** Lines of a trace that are neither frames nor code: what programs say around it. */
  #proseOf(trace: string): string {
    return trace
      .split('\n')
      .filter(line => /^\S/.test(line) && !/:\d+/.test(line))
      .join('\n')
  }

  #addFrame(frame: MappedFrame, distance: number, code: { line: string; scope: string | null } | null): void {
    const printed = frame.function === null ? null : lastName(frame.function)
    if (frame.path === null) {
      if (printed !== null && isTelling(printed)) this.#add(definitionOf(printed, 12 - distance))
      return
    }
    for (const name of new Set([printed, code?.scope ?? null])) {
      if (name !== null && isTelling(name)) this.#add(referencesTo(name, 9.5 - distance))
    }
    const { line = '' } = code ?? {}
    if (/^\s*(?:#|\/\/|\*)/.test(line)) return
    for (const called of namesIn(line, CALLED)) this.#add(definitionOf(called, 10 - distance))
    for (const named of namesIn(line, NAMED)) this.#add(definitionOf(named, 6 - distance))
  }

  #add(lead: Lead): void {
    const isKnown = this.#leads.some(other => other.name === lead.name && other.about === lead.about)
    if (!isKnown) this.#leads.push(lead)
  }

  /** The next call; null when nothing is left to ask. */
  next(): PolicyCall | null {
    const open = this.#leads.filter(lead => !this.#asked.has(`${lead.name} ${lead.about}`))
    const [best] = open.sort((a, b) => b.weight - a.weight)
    if (best === undefined) return null
    this.#asked.add(`${best.name} ${best.about}`)
    this.#last = best
    return { name: best.name, arguments: best.arguments }
  }

  #last: Lead | null = null

  /** Follows what a look has shown: the calls in a definition, and who uses what uses the name. */
  saw({ text, outcome }: Pick<Look, 'text' | 'outcome'>): void {
    const { name = null, weight = 0 } = this.#last ?? {}
    if (outcome !== 'found') return
    if (name === 'find_references') {
      const scopes = Array.from(text.matchAll(/\(in ([^)\n]+)\)$/gm), match => lastName(match[1] ?? ''))
      for (const scope of new Set(scopes.filter(isTelling))) {
        this.#add(definitionOf(scope, weight - 1))
        this.#add(referencesTo(scope, weight - 2))
      }
    }
    if (name === 'find_definition') {
      for (const called of namesIn(text.slice(0, 4_000), CALLED)) this.#add(definitionOf(called, weight - 3))
    }
  }
}
