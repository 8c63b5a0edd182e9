// What a job on a project asks of git: the list of a commit's files, a checkout into a workspace, a commit of one file,
// whether a patch applies, a commit as a mail.
// usage: node bench/commit.bench.ts [FILES]
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCommitReader } from '../src/repos/objects/commit-reader.ts'
import { createRepos } from '../src/repos/repos.ts'
import { createGitRepository } from '../test/helpers/git-repository.ts'

const count = Number(process.argv[2] ?? 200)
const ROUNDS = 9
const signal = new AbortController().signal

async function measure(name: string, work: (round: number) => Promise<unknown>): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = performance.now()
    await work(round)
    times.push(performance.now() - before)
  }
  const [first = NaN] = times
  times.sort((a, b) => a - b)
  console.log(
    `${name}: first ${first.toFixed(1)} ms, median ${times[Math.floor(ROUNDS / 2)]?.toFixed(1)} ms, least ` +
      `${times[0]?.toFixed(1)} ms`,
  )
}

const root = await mkdtemp(join(tmpdir(), 'faultline-commit-'))
const files = Object.fromEntries(
  Array.from({ length: count }, (_, i) => [`pkg${i % 13}/m${i}.py`, `x = ${i}\n`.repeat(120)]),
)
const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files })
const options = {
  clonedReposDir: join(root, 'clones'),
  allowLocalRepos: [join(root, 'remotes')],
  allowPrivateHosts: false,
  gitTokens: new Map<string, string>(),
  sshKeysDir: null,
}
const repos = createRepos(options)
try {
  const { commit } = await repos.sync({ url: remote.dir, projectName: 'shop' }, { signal, onProgress: () => {} })
  const at = { repository: 'shop', commit }
  const reader = createCommitReader(options)
  console.log(`${count} files`)
  await measure('list', () => createCommitReader(options).listFiles(at))
  await measure('checkout', async round => {
    const dir = join(root, `out${round}`)
    await mkdir(dir)
    await reader.checkout({ ...at, dir, without: [] })
  })
  await measure('commit', round =>
    repos.commitFiles(
      {
        repository: 'shop',
        projectName: 'shop',
        base: commit,
        branch: `faultline/${round}`,
        files: { 'pkg0/m0.py': `${round}\n` },
        message: 'Change\n',
        date: 1,
      },
      signal,
    ),
  )
  await measure('check', () =>
    reader.checkPatch({
      ...at,
      patch: '--- a/pkg0/m0.py\n+++ b/pkg0/m0.py\n@@ -1,2 +1,2 @@\n x = 0\n-x = 0\n+x = 1\n',
    }),
  )
  await measure('mail', () => reader.formatPatch(at))
} finally {
  await repos.close()
  await rm(root, { recursive: true, force: true })
}
