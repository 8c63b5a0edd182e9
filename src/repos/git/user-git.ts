import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { requirePipes } from '../../core/open-files.ts'
import { gitNotFound, type GitOutcome } from './git-process.ts'

/** What a git that called us, as in a hook, says of its own repository. */
const OF_ANOTHER = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
].flatMap(name => ['-u', name])
const NOT_FOUND = 127

/**
 * Runs git in a folder as the person who started this process would: that person's own git, configuration, identity and
 * hooks. Only for a person's own commands; the server never does this. Reads no index into a file of the repository
 * unless the command is about that.
 */
export async function runUserGit(folder: string, args: readonly string[]): Promise<GitOutcome> {
  const child = spawn('env', [...OF_ANOTHER, 'LC_ALL=C', 'GIT_OPTIONAL_LOCKS=0', 'git', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  requirePipes(child)
  const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk))
  const [code] = await once(child, 'close')
  if (code === NOT_FOUND) throw gitNotFound()
  return {
    exitCode: typeof code === 'number' ? code : 128,
    stdout: Buffer.concat(stdout),
    stderr: Buffer.concat(stderr).toString(),
  }
}
