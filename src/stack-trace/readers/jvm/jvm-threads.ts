import type { CleanText } from '../../layout/clean.ts'
import { jvmFrame, jvmLanguage } from './jvm-frame.ts'
import type { Failure, RawException } from '../../failures.ts'
import { pushFrame } from '../../frames.ts'
import { lineAt } from '../../lines.ts'
import type { TraceReader } from '../../trace-reader.ts'

const THREAD = /^"(.{0,300}?)"(?::$| #\d| .*\btid=| daemon\b| prio=| Id=\d)/
const STATE = /^java\.lang\.Thread\.State: ([A-Z_]+(?: \([^)]*\))?)/
const STACK_PART =
  /^(?:- |\||native: |java\.lang\.Thread\.State|Locked |No compile task|Compiling: |JVMTI|kernel: |\.\.\.)/
const DEADLOCK = /^Found (?:one|\d{1,9}) Java-level deadlock/
const MAX_LINES_TO_STACK = 12
const MAX_LINES_BETWEEN = 30 // threads of the VM have no stack, and a summary of locks stands between

function hasStack(lines: string[], at: number): boolean {
  for (let next = at + 1; next < at + MAX_LINES_TO_STACK; next++) {
    const line = lines[next]
    if (line === undefined || line.trim() === '') return false
    if (jvmFrame(line) !== null) return true
    if (!STACK_PART.test(line.trim())) return false
  }
  return false
}

function addFrame(dump: Dump, thread: RawException, frame: RawException['frames'][number]): void {
  if (thread.frames.length === 0) {
    dump.threads.push(thread)
    if (dump.isDeadlock) dump.deadlocked ??= thread
  }
  pushFrame(thread.frames, frame)
}

/** Whether the line is part of the dump; what is not may still stand between two threads. */
function readLine(dump: Dump, line: string): boolean {
  const trimmed = line.trim()
  const name = THREAD.exec(line)?.[1]
  if (name !== undefined) {
    dump.current = { type: null, message: `thread "${name}"`, relation: 'separate', frames: [] }
    return true
  }
  const frame = jvmFrame(line)
  if (frame !== null && dump.current !== null) {
    addFrame(dump, dump.current, frame)
    return true
  }
  const state = STATE.exec(trimmed)?.[1]
  if (state !== undefined && dump.current !== null && dump.current.frames.length === 0) {
    dump.current.message += ` ${state}`
  }
  if (DEADLOCK.test(trimmed)) dump.isDeadlock = true
  if (trimmed === '') dump.current = null
  return dump.current !== null && STACK_PART.test(trimmed)
}

function readThreads(text: CleanText, at: number): Failure {
  const dump: Dump = { threads: [], current: null, isDeadlock: false, deadlocked: null }
  let end = at + 1
  for (let next = at; next < text.lines.length && next < end + MAX_LINES_BETWEEN; next++) {
    const line = lineAt(text.lines, next)
    if (dump.current === null && jvmFrame(line) !== null) break
    if (readLine(dump, line)) end = next + 1
  }
  // One of them has to stand for the dump: who is stuck, else the program itself.
  const head =
    dump.deadlocked ?? dump.threads.find(({ message }) => message?.startsWith('thread "main"')) ?? dump.threads[0]
  if (head !== undefined) head.relation = 'root'
  const language = jvmLanguage(head?.frames ?? [])
  for (const { frames } of dump.threads) frames.reverse()
  return { exceptions: dump.threads, next: end, language }
}

/**
 * Reads a dump of threads (`jstack`, `kill -3`, an Android ANR): every thread that has a stack, as an exception without
 * a type.
 */
export const jvmThreads: TraceReader = {
  language: 'java',
  opens: ['\n"'],
  read: (text, at) => (THREAD.test(lineAt(text.lines, at)) && hasStack(text.lines, at) ? readThreads(text, at) : null),
}

interface Dump {
  threads: RawException[]
  current: RawException | null
  isDeadlock: boolean
  /** The first of the threads that wait for each other. */
  deadlocked: RawException | null
}
