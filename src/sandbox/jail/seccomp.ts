import { SYSCALL_TABLES } from './seccomp-table.ts'

// linux/bpf_common.h: the few instructions that are needed. Jumps are relative to the next instruction.
const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_GREATER = 0x25
const JUMP_AT_LEAST = 0x35
const JUMP_BITS = 0x45
const RETURN = 0x06

// linux/seccomp.h
const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const errno = (code: number): number => 0x00050000 | code
const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

// struct seccomp_data: where the call's number, its architecture and the low half of each argument lie.
const NUMBER = 0
const ARCHITECTURE = 4
const argument = (index: number): number => 16 + 8 * index

const X32_BIT = 0x40000000
const TIOCSTI = 0x5412
const TIOCLINUX = 0x541c
const CLONE_NEW_ANY = 0x7e020080
const SOCKET_FAMILIES = [1, 2, 10, 16] // UNIX, INET, INET6, NETLINK
const PERSONALITIES = [0, 0xffffffff] // Linux; "tell me which"
const INSTRUCTION_BYTES = 8

interface Instruction {
  code: number
  value: number
  ifTrue: number
  ifFalse: number
}

const returning = (verdict: number): Instruction => ({ code: RETURN, value: verdict, ifTrue: 0, ifFalse: 0 })

/** Allows the call when the argument is one of the values. */
function oneOf(index: number, values: readonly number[], refusal: number): Instruction[] {
  const checks = values.map((value, at) => ({ code: JUMP_EQUAL, value, ifTrue: values.length - at, ifFalse: 0 }))
  return [
    { code: LOAD, value: argument(index), ifTrue: 0, ifFalse: 0 },
    ...checks,
    returning(errno(refusal)),
    returning(ALLOW),
  ]
}

/** Refuses the call when the argument is one of the values. */
function noneOf(index: number, values: readonly number[]): Instruction[] {
  const checks = values.map((value, at) => ({ code: JUMP_EQUAL, value, ifTrue: values.length - at, ifFalse: 0 }))
  return [
    { code: LOAD, value: argument(index), ifTrue: 0, ifFalse: 0 },
    ...checks,
    returning(ALLOW),
    returning(errno(EPERM)),
  ]
}

function encoded(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES)
  program.forEach(({ code, value, ifTrue, ifFalse }, index) => {
    const at = index * INSTRUCTION_BYTES
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(ifTrue, at + 2)
    bytes.writeUInt8(ifFalse, at + 3)
    bytes.writeUInt32LE(value >>> 0, at + 4)
  })
  return bytes
}

/**
 * The seccomp program of the jail: a list of refused calls, as `struct sock_filter[]` for `bwrap --seccomp`. Calls of
 * another architecture and of x32 kill the process.
 *
 * @param arch - As `process.arch`.
 * @returns null for an architecture whose calls are not known.
 */
export function seccompFilter(arch: string): Buffer | null {
  const table = SYSCALL_TABLES.get(arch)
  if (table === undefined) return null
  const program: Instruction[] = []
  const add = (code: number, value: number, ifTrue = 0, ifFalse = 0) => {
    program.push({ code, value, ifTrue, ifFalse })
  }
  const answer = (verdict: number) => add(RETURN, verdict)
  /** Runs a block for one call only; each block ends with an answer. */
  const forCall = (number: number, block: Instruction[]) => {
    add(JUMP_EQUAL, number, 0, block.length)
    program.push(...block)
  }

  add(LOAD, ARCHITECTURE)
  add(JUMP_EQUAL, table.audit, 1)
  answer(KILL_PROCESS)
  add(LOAD, NUMBER)
  if (arch === 'x64') {
    add(JUMP_AT_LEAST, X32_BIT, 0, 1)
    answer(KILL_PROCESS)
  }
  add(JUMP_GREATER, table.newest, 0, 1)
  answer(errno(ENOSYS))
  for (const number of table.refused.values()) forCall(number, [returning(errno(EPERM))])
  for (const number of table.absent.values()) forCall(number, [returning(errno(ENOSYS))])
  // Only the low halves are compared: the kernel looks at no more of them (CVE-2019-10063).
  forCall(table.ioctl, noneOf(1, [TIOCSTI, TIOCLINUX]))
  forCall(table.clone, [
    { code: LOAD, value: argument(0), ifTrue: 0, ifFalse: 0 },
    { code: JUMP_BITS, value: CLONE_NEW_ANY, ifTrue: 0, ifFalse: 1 },
    returning(errno(EPERM)),
    returning(ALLOW),
  ])
  forCall(table.socket, oneOf(0, SOCKET_FAMILIES, EAFNOSUPPORT))
  forCall(table.personality, oneOf(0, PERSONALITIES, EPERM))
  answer(ALLOW)
  return encoded(program)
}
