import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { ofProcess } from '../limits/process-tree.ts'

/** A control group of the kernel for one jail: what all its processes and files in memory may take together. */
export interface MemoryGroup {
  /** A process joins by writing its id to `cgroup.procs` in this folder. */
  readonly folder: string
  /** How many processes the kernel has ended since the group was taken, because the limit was reached. */
  endedProcesses(): number
  /** Gives the group back for the next jail; nothing runs in it any more. */
  release(): void
}

/** Makes groups where this process may; each is used again for later jails. */
export interface MemoryGroups {
  /** A group with this limit; null when the kernel refuses one. */
  take(limitBytes: number): MemoryGroup | null
  /** Deletes all groups. */
  close(): void
}

/** Files of one version of the kernel's interface. */
interface Version {
  limit: string
  /** Written beside the limit where they exist, so that swap cannot be used in place of memory. */
  others: (limitBytes: number) => Record<string, string>
  /** The file with the count of processes that were ended. */
  events: string
}

const V1: Version = {
  limit: 'memory.limit_in_bytes',
  others: limitBytes => ({ 'memory.memsw.limit_in_bytes': `${limitBytes}` }),
  events: 'memory.oom_control',
}
const V2: Version = {
  limit: 'memory.max',
  others: () => ({ 'memory.swap.max': '0', 'memory.oom.group': '1' }),
  events: 'memory.events',
}

/** What the kernel says of this process and its mounts; tests pass other files. */
export interface ProcFiles {
  cgroup: string
  mountinfo: string
}

const PROC: ProcFiles = { cgroup: '/proc/self/cgroup', mountinfo: '/proc/self/mountinfo' }

/** Names begin with this, then the id of the server's process. */
const PREFIX = 'faultline-'

interface Mount {
  root: string
  place: string
  kind: string
  options: readonly string[]
}

/** Fields of mountinfo(5): two of them stand behind a varying number of optional ones and a hyphen. */
function mountsIn(mountinfo: string): Mount[] {
  return mountinfo.split('\n').flatMap(line => {
    const [before = '', behind = ''] = line.split(' - ')
    const [, , , root = '', place = ''] = before.split(' ')
    const [kind = '', , options = ''] = behind.split(' ')
    return kind.startsWith('cgroup') ? [{ root, place, kind, options: options.split(',') }] : []
  })
}

/** The folder of the group that this process is in. */
function ownFolder({ root, place }: Mount, path: string): string {
  const below = root !== '/' && `${path}/`.startsWith(`${root}/`) ? path.slice(root.length) : path
  return join(place, below)
}

function canRead(file: string, word: string): boolean {
  try {
    return readFileSync(file, 'utf8').split(/\s+/).includes(word)
  } catch {
    return false
  }
}

function tryToWrite(file: string, text: string): boolean {
  try {
    writeFileSync(file, text)
    return true
  } catch {
    return false
  }
}

/**
 * Where groups may be made. Version 1: below the group of this process. Version 2: beside it, since only leaves may
 * hold processes; and only in a unit that was delegated (systemd: `Delegate=memory`, `DelegateSubgroup=server`), never
 * in a slice, which is systemd's own.
 */
function findPlace({ cgroup, mountinfo }: ProcFiles): { parent: string; version: Version } | null {
  const groups = readFileSync(cgroup, 'utf8')
    .split('\n')
    .map(line => /^\d+:([^:]*):(.*)$/.exec(line))
    .filter(match => match !== null)
  const mounts = mountsIn(readFileSync(mountinfo, 'utf8'))
  const pathOf = (controller: string) =>
    groups.find(([, controllers = '']) => controllers.split(',').includes(controller))?.[2]

  const v1 = mounts.find(({ kind, options }) => kind === 'cgroup' && options.includes('memory'))
  const v1Path = pathOf('memory')
  if (v1 !== undefined && v1Path !== undefined) return { parent: ownFolder(v1, v1Path), version: V1 }

  const v2 = mounts.find(({ kind }) => kind === 'cgroup2')
  const v2Path = pathOf('')
  if (v2 === undefined || v2Path === undefined || v2Path === '/') return null
  const parent = dirname(ownFolder(v2, v2Path))
  if (parent === v2.place || basename(parent).endsWith('.slice')) return null
  const control = join(parent, 'cgroup.subtree_control')
  if (!canRead(control, 'memory') && !tryToWrite(control, '+memory')) return null
  return { parent, version: V2 }
}

function endedIn(folder: string, { events }: Version): number {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, events), 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function tryToRemove(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // in use, or gone
  }
}

/** Deletes the groups of servers that were killed; one that is in use cannot be deleted. */
function sweep(parent: string): void {
  const ofServers = readdirSync(parent).filter(name => name.startsWith(PREFIX))
  for (const name of ofServers) {
    const server = Number(name.slice(PREFIX.length).split('-')[0])
    const lives = ofProcess(() => process.kill(server, 0), false)
    if (!lives) tryToRemove(join(parent, name))
  }
}

/**
 * Looks for a place where the kernel lets this process make control groups for memory.
 *
 * @returns Null where there is none: limits of memory are then a sum that is taken ten times a second.
 */
export function findMemoryGroups(proc: ProcFiles = PROC): MemoryGroups | null {
  const free: string[] = []

  function limit(version: Version, folder: string, limitBytes: number): void {
    const others = Object.entries(version.others(limitBytes))
    // swap and memory together may not be less than memory alone: one of the two orders is refused
    for (const [file, text] of others) tryToWrite(join(folder, file), text)
    writeFileSync(join(folder, version.limit), `${limitBytes}`)
    for (const [file, text] of others) tryToWrite(join(folder, file), text)
  }

  try {
    const found = findPlace(proc)
    if (found === null) return null
    const { parent, version } = found
    sweep(parent)
    const groups: MemoryGroups = {
      take(limitBytes) {
        const folder = free.pop() ?? join(parent, `${PREFIX}${process.pid}-${randomUUID()}`)
        try {
          mkdirSync(folder, { recursive: true })
          limit(version, folder, limitBytes)
        } catch {
          tryToRemove(folder)
          return null
        }
        const before = endedIn(folder, version)
        return {
          folder,
          endedProcesses: () => endedIn(folder, version) - before,
          release: () => {
            free.push(folder)
          },
        }
      },
      close() {
        for (const folder of free.splice(0)) tryToRemove(folder)
      },
    }
    const trial = groups.take(2 ** 30)
    trial?.release()
    return trial === null ? null : groups
  } catch {
    return null // no /proc, or a group that may not be listed
  }
}
