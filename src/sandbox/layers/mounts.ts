import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chown, mkdir } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import type { Account } from '../jail/account.ts'
import { removeFolder } from '../workspace/remove.ts'

const run = promisify(execFile)

/** What a program sees as its workspace and its HOME, and what has to be done before it begins. */
export interface Mounts extends AsyncDisposable {
  workspace: string
  home: string
  /** Mounts the layer and executes what follows it; runs as the jail's account, before the jail. */
  before: readonly string[]
  /** The layer that is copied into both before the program begins, where it cannot be mounted. */
  copied: string | null
  /** Folders beside the workspace that grow with what the program writes. */
  watched: readonly string[]
}

/** A run that works on a layer. */
interface MountRequest {
  workspacesDir: string
  account: Account | null
  /** Folder of the layer. */
  layer: string
  workspace: string
  /** Whether the kernel lets overlays be mounted; else the layer is copied. */
  overlay: boolean
}

const UNSHARE = '/usr/bin/unshare'
const MOUNT_PROGRAM = '/usr/bin/mount'
const TRIAL_LIMIT_MS = 5_000
/** Folders of scratch space, the program's own. */
const SCRATCH = ['work', 'seen', 'home', 'home-work', 'home-seen']

/**
 * In a name space of its own, in which the account may mount: the layer below, what the program writes above. The paths
 * are relative, and of plain characters, since commas and colons mean something in the options.
 */
const MOUNT = [
  'cd "$1" &&',
  `${MOUNT_PROGRAM} -t overlay overlay -o "userxattr,lowerdir=$2/workspace,upperdir=$3,workdir=$4/work" "$4/seen" &&`,
  `${MOUNT_PROGRAM} -t overlay overlay -o "userxattr,lowerdir=$2/home,upperdir=$4/home,workdir=$4/home-work"`,
  '"$4/home-seen" && cd / && shift 4 && exec "$@"',
].join(' ')
const PLAIN_PATH = /^[\w.-]+(?:\/[\w.-]+)*$/

function mountArgv(workspacesDir: string, paths: readonly string[]): string[] {
  const names = paths.map(path => relative(workspacesDir, path))
  return [
    ...[UNSHARE, '--user', '--map-root-user', '--mount', '--propagation', 'private', '--'],
    ...['/bin/bash', '-c', MOUNT, 'bash', workspacesDir, ...names],
  ]
}

const canBeNamed = (workspacesDir: string, path: string): boolean => PLAIN_PATH.test(relative(workspacesDir, path))

async function ownFolder(path: string, account: Account | null): Promise<void> {
  await mkdir(path, { mode: 0o700 })
  if (account !== null) await chown(path, account.uid, account.gid)
}

/** Scratch space of one run, below the folder that the next start deletes. */
async function scratchSpace(workspacesDir: string, account: Account | null): Promise<string> {
  const scratch = join(workspacesDir, '.run', randomUUID())
  await mkdir(scratch, { recursive: true, mode: 0o711 })
  for (const name of SCRATCH) await ownFolder(join(scratch, name), account)
  return scratch
}

/** Makes what a run on a layer needs; disposing of it deletes what the program wrote beside its workspace. */
export async function mountLayer(request: MountRequest): Promise<Mounts> {
  const { workspacesDir, account, layer, workspace, overlay } = request
  const scratch = await scratchSpace(workspacesDir, account)
  const home = join(scratch, 'home')
  const common = { watched: [home], [Symbol.asyncDispose]: () => removeFolder(workspacesDir, scratch) }
  if (!overlay || !canBeNamed(workspacesDir, workspace)) {
    return { ...common, workspace, home, before: [], copied: layer }
  }
  return {
    ...common,
    workspace: join(scratch, 'seen'),
    home: join(scratch, 'home-seen'),
    before: mountArgv(workspacesDir, [layer, workspace, scratch]),
    copied: null,
  }
}

/** Copies a layer over a workspace, for runs without a jail; what is there already is not replaced. */
export async function copyLayer(layer: string, to: Pick<Mounts, 'workspace' | 'home'>): Promise<void> {
  for (const part of ['workspace', 'home'] as const) {
    await run('/bin/cp', ['-an', '--reflink=auto', '--', `${layer}/${part}/.`, to[part]], { env: {} })
  }
}

/**
 * Whether the kernel lets the account mount overlays where the workspaces lie: tried out.
 *
 * @param become - The command that changes to the account.
 */
export async function canOverlay(
  { workspacesDir, account }: Pick<MountRequest, 'workspacesDir' | 'account'>,
  become: readonly string[],
): Promise<boolean> {
  if (!existsSync(UNSHARE) || !existsSync(MOUNT_PROGRAM)) return false
  const scratch = await scratchSpace(workspacesDir, account)
  try {
    for (const name of ['lower', 'lower/workspace', 'lower/home', 'upper']) {
      await ownFolder(join(scratch, name), account)
    }
    const places = [join(scratch, 'lower'), join(scratch, 'upper'), scratch]
    const [program = '', ...args] = [...become, ...mountArgv(workspacesDir, places), '/usr/bin/true']
    await run(program, args, { env: {}, cwd: '/', timeout: TRIAL_LIMIT_MS, killSignal: 'SIGKILL' })
    return true
  } catch {
    return false // what it says differs from kernel to kernel; the layer is copied then
  } finally {
    await removeFolder(workspacesDir, scratch)
  }
}
