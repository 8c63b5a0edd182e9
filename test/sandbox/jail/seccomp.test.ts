import { existsSync, readFileSync } from 'node:fs'
import { test } from 'tap'
import { SYSCALL_TABLES, type SyscallTable } from '../../../src/sandbox/jail/seccomp-table.ts'
import { seccompFilter } from '../../../src/sandbox/jail/seccomp.ts'

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const EPERM = 0x00050001
const ENOSYS = 0x00050026
const EAFNOSUPPORT = 0x00050061

/** What the kernel would answer: the few instructions of classic BPF that a filter may hold. */
function answer(
  program: Buffer,
  { number, audit, args = [] }: { number: number; audit: number; args?: number[] },
): number {
  const data = Buffer.alloc(64)
  data.writeUInt32LE(number, 0)
  data.writeUInt32LE(audit, 4)
  args.forEach((value, index) => {
    data.writeUInt32LE(value >>> 0, 16 + 8 * index)
  })
  let loaded = 0
  for (let at = 0; at < program.length / 8;) {
    const [code, ifTrue, ifFalse, value] = [
      program.readUInt16LE(at * 8),
      program.readUInt8(at * 8 + 2),
      program.readUInt8(at * 8 + 3),
      program.readUInt32LE(at * 8 + 4),
    ]
    const holds = new Map([
      [0x15, loaded === value],
      [0x25, loaded > value],
      [0x35, loaded >= value],
      [0x45, (loaded & value) !== 0],
    ]).get(code)
    at++
    if (code === 0x06) return value
    if (code === 0x20) loaded = data.readUInt32LE(value)
    else if (holds !== undefined) at += holds ? ifTrue : ifFalse
    else throw new Error(`no such instruction: ${code}`)
  }
  throw new Error('the program has no end')
}

function filterFor(arch: string): {
  table: SyscallTable
  ask: (number: number, ...args: number[]) => number
  program: Buffer
} {
  const table = SYSCALL_TABLES.get(arch)
  const program = seccompFilter(arch)
  if (table === undefined || program === null) throw new Error(`nothing for ${arch}`)
  return { table, program, ask: (number, ...args) => answer(program, { number, audit: table.audit, args }) }
}

for (const arch of ['x64', 'arm64']) {
  test(`on ${arch} each listed call has its answer and every other one is allowed`, async t => {
    const { table, ask, program } = filterFor(arch)
    for (const [name, number] of table.refused) t.equal(ask(number), EPERM, name)
    for (const [name, number] of table.absent) t.equal(ask(number), ENOSYS, name)
    const listed = new Set([
      ...table.refused.values(),
      ...table.absent.values(),
      table.ioctl,
      table.clone,
      table.socket,
      table.personality,
    ])
    const others = Array.from({ length: table.newest + 1 }, (_, number) => number).filter(number => !listed.has(number))
    t.same(
      others.filter(number => ask(number) !== ALLOW),
      [],
    )
    t.equal(ask(table.newest + 1), ENOSYS)
    t.equal(ask(463), ENOSYS, 'setxattrat, which is newer than what was reviewed')
    t.equal(listed.size, table.refused.size + table.absent.size + 4, 'no number stands for two names')
    t.ok(program.length / 8 < 4096, 'the kernel takes as many instructions')
  })

  test(`on ${arch} calls with harmless arguments are allowed and the others are not`, async t => {
    const { table, ask } = filterFor(arch)
    t.equal(ask(table.ioctl, 0, 0x5401), ALLOW)
    for (const request of [0x5412, 0x541c]) t.equal(ask(table.ioctl, 0, request), EPERM)
    t.equal(ask(table.clone, 0x01200011), ALLOW, 'fork')
    t.equal(ask(table.clone, 0x003d0f00), ALLOW, 'a thread')
    for (const flag of [0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000]) {
      t.equal(ask(table.clone, flag | 17), EPERM)
    }
    for (const family of [1, 2, 10, 16]) t.equal(ask(table.socket, family), ALLOW)
    for (const family of [0, 3, 9, 11, 15, 17, 31, 38, 40, 44]) t.equal(ask(table.socket, family), EAFNOSUPPORT)
    for (const persona of [0, 0xffffffff]) t.equal(ask(table.personality, persona), ALLOW)
    for (const persona of [8, 0x0040000]) t.equal(ask(table.personality, persona), EPERM)
  })

  test(`on ${arch} calls of another architecture kill the process`, async t => {
    const { program, table } = filterFor(arch)
    for (const audit of [0x40000003, 0x40000028, (table.audit ^ 1) >>> 0]) {
      t.equal(answer(program, { number: 1, audit }), KILL)
    }
    if (arch === 'x64') t.equal(answer(program, { number: 0x40000001, audit: table.audit }), KILL, 'x32')
  })
}

const HEADERS: Array<[arch: string, places: string[]]> = [
  ['x64', ['/usr/include/x86_64-linux-gnu/asm/unistd_64.h', '/usr/include/asm/unistd_64.h']],
  ['arm64', ['/usr/include/asm-generic/unistd.h']],
]
for (const [arch, places] of HEADERS) {
  const file = places.find(place => existsSync(place))
  test(
    `the numbers for ${arch} are those of the kernel's headers`,
    { skip: file === undefined && 'the headers are not installed (apt-get install linux-libc-dev)' },
    async t => {
      const known = new Map(
        [...readFileSync(file ?? '', 'utf8').matchAll(/^#define __NR(?:3264)?_(\w+)\s+(\d+)/gm)].map(
          ([, name, number]) => [name, Number(number)],
        ),
      )
      const { table } = filterFor(arch)
      const pairs: Array<[string, number]> = [
        ...table.refused,
        ...table.absent,
        ['ioctl', table.ioctl],
        ['clone', table.clone],
        ['socket', table.socket],
        ['personality', table.personality],
      ]
      const newest = Math.max(...known.values())
      for (const [name, number] of pairs) {
        if (number <= newest && known.has(name)) t.equal(number, known.get(name), name)
      }
      t.ok(pairs.filter(([name]) => known.has(name)).length > 50)
      t.same(
        pairs.filter(([name, number]) => !known.has(name) && number <= 447).map(([name]) => name),
        [],
      )
    },
  )
}

test('there is no program for an architecture whose calls are not known', async t => {
  t.equal(seccompFilter('riscv64'), null)
})
