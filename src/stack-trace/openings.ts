import type { TraceReader } from './trace-reader.ts'

/** The readers of which a line holds a mark, in their order: no other can begin at it. */
type ReadersFor = (line: string) => readonly TraceReader[]

const COLUMNS = 128
const EDGE = 10 // a line holds no break, so that one may stand for both of its ends
const BEYOND = 127 // stands for every character that is not ASCII
const WORD = 32

interface State {
  edges: Map<number, number>
  behind: number
  opens: number[]
}

const bitsOf = (readers: number[], word: number): number =>
  readers.reduce((bits, reader) => (Math.floor(reader / WORD) === word ? bits | (1 << (reader % WORD)) : bits), 0)

function named(found: Uint32Array, readers: readonly TraceReader[]): TraceReader[] {
  const named: TraceReader[] = []
  for (let word = 0; word < found.length; word++) {
    for (let bits = found[word] ?? 0; bits !== 0; bits &= bits - 1) {
      const reader = readers[word * WORD + 31 - Math.clz32(bits & -bits)]
      if (reader !== undefined) named.push(reader)
    }
  }
  return named
}

/** Any digit counts as a zero. */
const columnOf = (code: number): number => (code >= 48 && code <= 57 ? 48 : Math.min(code, BEYOND))

function trieOf(readers: readonly TraceReader[]): State[] {
  const states: State[] = [{ edges: new Map(), behind: 0, opens: [] }]
  for (const [reader, { opens }] of readers.entries()) {
    for (const mark of opens) {
      let state = states[0]
      for (let at = 0; at < mark.length; at++) {
        const column = columnOf(mark.charCodeAt(at))
        const known = state?.edges.get(column)
        if (known === undefined) state?.edges.set(column, states.push({ edges: new Map(), behind: 0, opens: [] }) - 1)
        state = states[known ?? states.length - 1]
      }
      state?.opens.push(reader)
    }
  }
  return states
}

function follow(states: readonly State[], from: number, column: number): number {
  for (let at = from; ; at = states[at]?.behind ?? 0) {
    const to = states[at]?.edges.get(column)
    if (to !== undefined || at === 0) return to ?? 0
  }
}

/** Gives each state the longest other one that its characters end with, and what that one opens. */
function linked(states: State[]): State[] {
  const queue = [0]
  for (const at of queue) {
    for (const [column, to] of states[at]?.edges ?? []) {
      const state = states[to]
      if (state === undefined) continue
      const behind = states[at]?.behind ?? 0
      state.behind = at === 0 ? 0 : follow(states, behind, column)
      state.opens.push(...(states[state.behind]?.opens ?? []))
      queue.push(to)
    }
  }
  return states
}

/** Row for row where each character leads from each state. */
const tableOf = (states: readonly State[]): Uint16Array =>
  Uint16Array.from({ length: states.length * COLUMNS }, (_, at) =>
    follow(states, Math.floor(at / COLUMNS), columnOf(at % COLUMNS)),
  )

/**
 * One look at a line instead of one by each reader: all marks (`TraceReader.opens`) are searched for at once, by the
 * automaton of Aho and Corasick. Linear in the length of the line, whatever it holds.
 */
export function findReaders(readers: readonly TraceReader[]): ReadersFor {
  const states = linked(trieOf(readers))
  const words = Math.ceil(readers.length / WORD)
  const next = tableOf(states)
  const opens = Uint32Array.from({ length: states.length * words }, (_, at) =>
    bitsOf(states[Math.floor(at / words)]?.opens ?? [], at % words),
  )
  const isMark = Uint8Array.from(states, state => (state.opens.length > 0 ? 1 : 0))
  const found = new Uint32Array(words)
  return line => {
    const text = line.trim()
    let state = next[EDGE] ?? 0
    found.fill(0)
    for (let at = 0; at <= text.length; at++) {
      const code = at === text.length ? EDGE : text.charCodeAt(at)
      const column = code < BEYOND ? code : BEYOND
      state = next[state * COLUMNS + column] ?? 0
      if (isMark[state] === 1) {
        for (let word = 0; word < words; word++) found[word] = (found[word] ?? 0) | (opens[state * words + word] ?? 0)
      }
    }
    return named(found, readers)
  }
}
