import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { checkWorkspace } from './workspace.ts'

const run = promisify(execFile)

/** What is to be deleted waits here, out of the way; the next start deletes what a previous process left. */
const TRASH = '.trash'
/** What runs leave behind when the server is killed: sockets, a copy of Node in the making. */
const LEFTOVERS = [TRASH, '.run']
const DELETE_LIMIT_MS = 120_000

/** Runs a command at low priority: a million files are much work, which nothing else waits for. */
const runPolitely = (...argv: string[]) =>
  run('/usr/bin/nice', ['-n', '10', ...argv], { env: {}, timeout: DELETE_LIMIT_MS, killSignal: 'SIGKILL' })

/**
 * Deletes with `rm` in a process of its own: Node's own deletion fails on deep folders, and would occupy a thread of
 * file access.
 */
async function destroy(path: string): Promise<void> {
  const remove = () => runPolitely('/usr/bin/rm', '-rf', '--one-file-system', '--', path)
  try {
    await remove()
  } catch {
    // folders that a program closed; `rm` says what cannot be deleted
    await runPolitely('/usr/bin/chmod', '-R', 'u+rwX', '--', path).catch(() => {})
    await remove()
  }
}

/**
 * Moves a folder out of its place, whatever is in it: closed folders, thousands of levels, a million files. A missing
 * folder is no error.
 *
 * @returns What deletes it, in a child process. Where that is not called, the next start does.
 */
export async function moveAway(workspacesDir: string, dir: string): Promise<() => Promise<void>> {
  const folder = checkWorkspace(workspacesDir, dir)
  const found = await lstat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error
  })
  if (found === undefined) return async () => {}
  // a closed folder cannot be moved by its owner
  if (found.isDirectory() && (found.mode & 0o700) !== 0o700) await chmod(folder, 0o700)
  await mkdir(join(workspacesDir, TRASH), { recursive: true, mode: 0o700 })
  const trash = join(workspacesDir, TRASH, randomUUID())
  await rename(folder, trash)
  return async () => await destroy(trash)
}

/** Deletes a folder whatever is in it. It is out of its place at once. */
export async function removeFolder(workspacesDir: string, dir: string): Promise<void> {
  const deleteIt = await moveAway(workspacesDir, dir)
  await deleteIt()
}

/**
 * Deletes what a previous process left. For the start, when nothing runs.
 *
 * @param keep - Names of the folders that still belong to a job; undefined keeps all.
 */
export async function sweepWorkspaces(workspacesDir: string, keep?: ReadonlySet<string>): Promise<void> {
  const names = await readdir(workspacesDir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return []
  })
  for (const name of names) {
    if (LEFTOVERS.includes(name) || (keep !== undefined && !name.startsWith('.') && !keep.has(name))) {
      await destroy(join(workspacesDir, name))
    }
  }
}
