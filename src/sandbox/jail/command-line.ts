import { readdirSync } from 'node:fs'
import type { Account } from './account.ts'
import type { Toolchain } from './toolchains.ts'

/** File descriptors that the jail's start uses; all others are closed before. */
export const FD = { seccomp: 3, passwd: 4, group: 5, hosts: 6, status: 7, gate: 8, bridge: 9 } as const
/** The highest of them. */
export const LAST_FD = FD.bridge

/** HOME of a run that has a folder for it; else HOME is a folder in memory. */
const HOME = '/home/user'
/** HOME as the jail has it. */
export const homeOf = (home: string | null): string => (home === null ? '/tmp' : HOME)
/** The jail's /etc/passwd. */
export const passwdOf = (home: string | null): string => `user:x:1000:1000::${homeOf(home)}:/bin/bash\n`
/** The jail's /etc/group. */
export const GROUP = 'user:x:1000:\n'
/** The jail's /etc/hosts. */
export const HOSTS = '127.0.0.1 localhost\n::1 localhost\n'

const BRIDGE_FILE = '/run/bridge.mjs'
const EGRESS_SOCKET = '/run/egress.sock'

const SHM_BYTES = 32 * 1024 * 1024
const TMP_BYTES = 256 * 1024 * 1024
/** What the folders in memory of a jail hold at most. */
export const MEMORY_FOLDERS_BYTES = SHM_BYTES + TMP_BYTES

/** Configuration without which installed programs do not work; it contains no secrets. */
const ETC = [
  'alternatives',
  'ssl/certs',
  'ssl/openssl.cnf',
  'pki/tls/certs',
  'pki/ca-trust/extracted',
  'ca-certificates/extracted',
  'crypto-policies',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'perl',
  'php',
  'maven',
  'gradle',
]
const ETC_PATTERN = /^(?:java-[\w.-]*openjdk|python3(?:\.\d+)?)$/

/**
 * Begins every program, as `bash -c BEGIN bash GROUP PROGRAM…`. Joins the control group whose folder is GROUP, unless
 * that is empty; a jail without it is still watched. Makes this process the first that the kernel ends when the memory
 * of the machine runs out, so that it does not choose the server. Closes every file that was inherited and that is not
 * the jail's.
 */
export const BEGIN = [
  '[ -z "$1" ] || { echo $$ >"$1/cgroup.procs"; } 2>/dev/null; shift;',
  '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null;',
  `for f in /proc/self/fd/*; do n=\${f##*/};`,
  `[ "$n" -gt ${LAST_FD} ] && eval "exec $n>&-";`,
  'done; exec "$@"',
].join(' ')

/**
 * Lowers the share of processor time. Linux divides the processors between sessions before it looks at `nice`, so a
 * jail and its helpers get a third of what the server may have.
 */
export const STEP_BACK = '{ echo 5 >/proc/self/autogroup; } 2>/dev/null;'

/**
 * Runs in the jail before the program: reports that everything is set up, and continues only when the server answers.
 * If the server died meanwhile nothing answers, and nothing runs.
 */
export const GATE = [
  STEP_BACK,
  'printf r >&8; IFS= read -r -N 1 -u 8 go;',
  '[ "$go" = g ] || exit 125;',
  'exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-;',
  'exec "$@"',
].join(' ')

/** The same with the bridge to the registry proxy, which has to listen before the program begins. */
export const gateWithBridge = (node: string): string =>
  [
    `exec 9< <(exec ${node} ${BRIDGE_FILE} 8>&- </dev/null 2>/dev/null);`,
    'IFS= read -r -N 1 -u 9 up;',
    '[ "$up" = u ] || { echo "the bridge to the registry proxy did not start" >&2; exit 125; };',
    `exec 9<&-; ${GATE}`,
  ].join(' ')

/** Where a layer that cannot be mounted is copied from. */
const COPIED = '/run/layer'

/** Copies a layer before the gate; what the workspace has already is not replaced. */
export const copyBefore = (gate: string): string =>
  [
    `/bin/cp -an --reflink=auto ${COPIED}/workspace/. /workspace/;`,
    `/bin/cp -an --reflink=auto ${COPIED}/home/. ${HOME}/;`,
    gate,
  ].join(' ')

/** Everything that determines the command of a jail. */
export interface JailPlan {
  bwrap: string
  /** The account to change to; null keeps the server's own. */
  account: (Account & { setpriv: string }) | null
  /** Folder to work in; null: an empty one in memory. */
  workspace: string | null
  /** Folder for HOME; null: one in memory. */
  home: string | null
  /** Executes the jail after it has mounted what the jail is to have; see `mountLayer`. */
  before: readonly string[]
  /** A layer that the jail's start copies; null where there is none. */
  copied: string | null
  toolchains: readonly Toolchain[]
  env: Readonly<Record<string, string>>
  /** Socket of the registry proxy on this machine. */
  egressSocket: string | null
  /** The command to run in the jail: limits, the gate, the program. */
  command: readonly string[]
}

function etcBinds(): string[] {
  const versioned = readdirSync('/etc').filter(name => ETC_PATTERN.test(name))
  return [...ETC, ...versioned].flatMap(name => ['--ro-bind-try', `/etc/${name}`, `/etc/${name}`])
}

/** The command that changes to the account, to be put before another one; empty for the server's own. */
export function becomeArgv(account: JailPlan['account']): string[] {
  if (account === null) return []
  const { setpriv, uid, gid } = account
  return [setpriv, '--reuid', `${uid}`, '--regid', `${gid}`, '--clear-groups', '--no-new-privs', '--']
}

/** The command that starts a jail; run it with the files of `FD` and an empty environment. */
export function jailArgv({
  bwrap,
  account,
  workspace,
  home,
  before,
  copied,
  toolchains,
  env,
  egressSocket,
  command,
}: JailPlan): string[] {
  return [
    ...becomeArgv(account),
    ...before,
    bwrap,
    '--unshare-user',
    '--unshare-pid',
    '--unshare-net',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    '--disable-userns',
    '--assert-userns-disabled',
    '--uid',
    '1000',
    '--gid',
    '1000',
    '--hostname',
    'sandbox',
    '--die-with-parent',
    '--new-session',
    '--cap-drop',
    'ALL',
    '--clearenv',
    '--ro-bind',
    '/usr',
    '/usr',
    '--symlink',
    'usr/bin',
    '/bin',
    '--symlink',
    'usr/sbin',
    '/sbin',
    '--symlink',
    'usr/lib',
    '/lib',
    '--symlink',
    'usr/lib64',
    '/lib64',
    ...etcBinds(),
    '--perms',
    '0444',
    '--ro-bind-data',
    `${FD.passwd}`,
    '/etc/passwd',
    '--perms',
    '0444',
    '--ro-bind-data',
    `${FD.group}`,
    '/etc/group',
    '--perms',
    '0444',
    '--ro-bind-data',
    `${FD.hosts}`,
    '/etc/hosts',
    ...toolchains.flatMap(({ binds, links }) => [
      ...binds.flatMap(({ from, to }) => ['--ro-bind', from, to]),
      ...links.flatMap(({ target, at }) => ['--symlink', target, at]),
    ]),
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--size',
    `${SHM_BYTES}`,
    '--perms',
    '1777',
    '--tmpfs',
    '/dev/shm',
    '--remount-ro',
    '/dev',
    '--size',
    `${TMP_BYTES}`,
    '--perms',
    '1777',
    '--tmpfs',
    '/tmp',
    ...(workspace === null ? ['--size', '1048576', '--tmpfs', '/workspace'] : ['--bind', workspace, '/workspace']),
    ...(home === null ? [] : ['--bind', home, HOME]),
    ...(copied === null ? [] : ['--ro-bind', copied, COPIED]),
    ...(egressSocket === null
      ? []
      : ['--ro-bind', egressSocket, EGRESS_SOCKET, '--perms', '0444', '--ro-bind-data', `${FD.bridge}`, BRIDGE_FILE]),
    '--chdir',
    '/workspace',
    '--remount-ro',
    '/',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--seccomp',
    `${FD.seccomp}`,
    '--json-status-fd',
    `${FD.status}`,
    '--',
    ...command,
  ]
}
