import { test } from 'tap'
import { SYSCALL_TABLES } from '../../../src/sandbox/jail/seccomp-table.ts'

test('no call is refused in two ways, and none lies beyond those that were reviewed', async t => {
  t.same([...SYSCALL_TABLES.keys()], ['x64', 'arm64'])
  for (const [arch, { refused, absent, newest, ...looked }] of SYSCALL_TABLES) {
    const { ioctl, clone, socket, personality } = looked
    t.equal(newest, 462, 'mseal, after which nothing was reviewed')
    const numbers = [...refused.values(), ...absent.values(), ioctl, clone, socket, personality]
    t.equal(new Set(numbers).size, numbers.length, arch)
    t.ok(
      numbers.every(number => Number.isInteger(number) && number >= 0 && number <= newest),
      arch,
    )
  }
})

test('both architectures refuse what reaches beyond the jail', async t => {
  for (const { refused } of SYSCALL_TABLES.values()) {
    for (const name of ['mount', 'ptrace', 'unshare', 'setns', 'bpf', 'keyctl', 'reboot', 'kexec_load']) {
      t.ok(refused.has(name), name)
    }
  }
})
