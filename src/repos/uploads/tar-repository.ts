import { createWriteStream } from 'node:fs'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FaultlineError } from '../../core/errors.ts'
import { openLocalGit } from '../clone/local-git.ts'
import { isCommitId, isRefName } from '../clone/refs.ts'
import { refusedEntry, type TarEntry } from './read-tar.ts'

const LOOSE_OBJECT = /^objects\/[0-9a-f]{2}\/[0-9a-f]{38}$/
const PACK = /^objects\/pack\/pack-[0-9a-f]{40}\.pack$/
const REF = /^refs\/(?:heads|tags|remotes)\/[^\0]+$/
/** The names and values of refs are held in memory. */
const MAX_TEXT_BYTES = 16 * 1_048_576

interface Refs {
  head: string
  /** Values by full names; a loose one counts more than a packed one. */
  packed: Map<string, string>
  loose: Map<string, string>
  shallow: string[]
}

async function textOf({ name, size, body }: TarEntry): Promise<string> {
  if (size > MAX_TEXT_BYTES) throw refusedEntry(name, 'is larger than any such file of git')
  return Buffer.concat(await Array.fromAsync(body())).toString('utf8')
}

const isUsable = (ref: string): boolean => REF.test(ref) && isRefName(ref)

function readPacked(text: string, packed: Map<string, string>): void {
  for (const line of text.split('\n')) {
    const [id = '', ref = ''] = line.split(' ', 2)
    if (isCommitId(id) && isUsable(ref)) packed.set(ref, id)
  }
}

/** Takes one file of the git directory, of which nothing is written but objects. */
async function takeFile(entry: TarEntry, name: string, draft: string, refs: Refs): Promise<void> {
  if (LOOSE_OBJECT.test(name) || PACK.test(name)) {
    const target = join(draft, name)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await pipeline(Readable.from(entry.body()), createWriteStream(target, { flags: 'wx', mode: 0o600 }))
  } else if (name === 'objects/info/alternates' && entry.size > 0) {
    throw new FaultlineError(
      'REPOSITORY_CORRUPT',
      'The repository in the archive borrows objects from another folder.',
      'Make a whole one: git clone --bare --no-local shop shop.git, or git bundle create shop.bundle --all.',
    )
  } else if (name === 'HEAD') refs.head = (await textOf(entry)).trim()
  else if (name === 'packed-refs') readPacked(await textOf(entry), refs.packed)
  else if (name === 'shallow') refs.shallow = (await textOf(entry)).split('\n').filter(isCommitId)
  else if (isUsable(name)) refs.loose.set(name, (await textOf(entry)).trim())
}

function branchOf(ref: string): string | null {
  return ref.startsWith('refs/heads/') ? ref : null
}

/** Remote branches stand for branches that the repository does not have itself, as after a clone of one branch. */
function withRemoteBranches(refs: ReadonlyMap<string, string>): Map<string, string> {
  const all = new Map(refs)
  for (const [ref, id] of refs) {
    const name = /^refs\/remotes\/origin\/([^]+)$/.exec(ref)?.[1]
    if (name === undefined) continue
    all.delete(ref)
    if (name !== 'HEAD' && !all.has(`refs/heads/${name}`)) all.set(`refs/heads/${name}`, id)
  }
  return all
}

/**
 * Makes a bare repository of the objects and refs in an archive. Nothing else of it is taken: no configuration, no
 * hook, no index of a pack, no file of a work tree. Git itself checks the objects when they are fetched from here.
 *
 * @param draft - An empty folder.
 */
export async function unpackRepository(
  entries: AsyncGenerator<TarEntry>,
  prefix: string,
  { draft, searchPath, signal }: { draft: string; searchPath: string; signal: AbortSignal },
): Promise<void> {
  const git = openLocalGit(draft, { searchPath, signal })
  await git.init()
  const refs: Refs = { head: '', packed: new Map(), loose: new Map(), shallow: [] }
  const packs: string[] = []
  for await (const entry of entries) {
    if (!entry.name.startsWith(prefix)) continue
    const name = entry.name.slice(prefix.length)
    if (entry.type === 'symlink') throw refusedEntry(entry.name, 'is a link among the files of git')
    if (entry.type !== 'file') continue
    await takeFile(entry, name, draft, refs)
    if (PACK.test(name)) packs.push(name)
  }
  for (const pack of packs) {
    const { exitCode } = await git.run(['index-pack', join(draft, pack)])
    if (exitCode !== 0) {
      throw new FaultlineError('REPOSITORY_CORRUPT', 'The repository in the archive holds a damaged pack.')
    }
  }
  if (refs.shallow.length > 0) await writeFile(join(draft, 'shallow'), `${refs.shallow.join('\n')}\n`, { mode: 0o600 })
  const values = new Map([...refs.packed, ...refs.loose].filter(([, id]) => isCommitId(id)))
  await appendFile(
    join(draft, 'packed-refs'),
    [...withRemoteBranches(values)].map(([ref, id]) => `${id} ${ref}\n`).join(''),
    { mode: 0o600 },
  )
  const head = branchOf(refs.head.replace(/^ref: /, ''))
  if (head !== null && isUsable(head)) await git.run(['symbolic-ref', 'HEAD', head])
}
