import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A tree of text files, by path. */
export type Tree = ReadonlyMap<string, string>

function commit(mark: number, tree: Tree, parent: number | null): Buffer[] {
  const data = (text: string): Buffer => {
    const bytes = Buffer.from(text)
    return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')])
  }
  return [
    Buffer.from(`commit refs/heads/r${mark}\nmark :${mark}\ncommitter t <t@t> ${mark} +0000\n`),
    data(`${mark}`),
    Buffer.from(parent === null ? '' : `from :${parent}\n`),
    Buffer.from('deleteall\n'),
    ...[...tree].flatMap(([path, text]) => [Buffer.from(`M 100644 inline ${path}\n`), data(text)]),
  ]
}

/**
 * What `git diff` says of each pair of trees, renames found. One import and one call for all of them: to start git
 * costs more than a diff.
 *
 * @param context - Lines around each change.
 */
export function gitDiffs(
  dir: string,
  pairs: ReadonlyArray<readonly [before: Tree, after: Tree]>,
  context = 3,
): string[] {
  const git = (args: string[], input: Buffer | string = ''): string => {
    const { stdout, stderr, status } = spawnSync('git', args, { cwd: dir, input, maxBuffer: 1 << 30, encoding: 'utf8' })
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
    return stdout
  }
  git(['init', '-q', '.'])
  git(
    ['fast-import', '--quiet', '--force', '--export-marks=marks'],
    Buffer.concat(
      pairs.flatMap(([before, after], i) => [
        ...commit(2 * i + 1, before, null),
        ...commit(2 * i + 2, after, 2 * i + 1),
      ]),
    ),
  )
  const marks = new Map(
    readFileSync(join(dir, 'marks'), 'utf8')
      .trim()
      .split('\n')
      .map(line => {
        const [mark = '', id = ''] = line.slice(1).split(' ')
        return [Number(mark), id] as const
      }),
  )
  const ids = pairs.map((_, i) => marks.get(2 * i + 2) ?? '')
  const told = git(['diff-tree', '--stdin', '-r', '-p', '-M', `-U${context}`], `${ids.join('\n')}\n`)
  const byId = new Map(ids.map(id => [id, '']))
  let current = ''
  for (const line of told.split(/(?<=\n)/)) {
    if (/^[0-9a-f]{40}\n$/.test(line)) {
      current = line.trim()
    } // no line of a diff is: they have prefixes
    else byId.set(current, (byId.get(current) ?? '') + line)
  }
  return ids.map(id => byId.get(id) ?? '')
}
