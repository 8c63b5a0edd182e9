import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { pageCommands, type DocPage } from './doc-pages.ts'
import { openDocWorld } from './doc-world.ts'
import { inJail } from './sandbox.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> }
const isThere = (...path: string[]): boolean => existsSync(join(ROOT, ...path))

interface NotRun {
  command: RegExp
  why: string
  /** What is looked at instead; that the shell reads the command is looked at in any case. */
  check?: (command: string) => boolean
}

/** Every option of a program of bench/ is named in its source, or in one that it shares. */
function benchIsThere(command: string): boolean {
  const [, program = ''] = /^node (bench\/\S+)/.exec(command) ?? []
  const sources = globSync('bench/**/*.ts', { cwd: ROOT }).map(path => readFileSync(join(ROOT, path), 'utf8'))
  const options = [...command.matchAll(/--([a-z-]+)/g)].map(([, name = '']) => name)
  return isThere(program) && options.every(name => sources.some(source => source.includes(name)))
}

/** The only commands that are not run. Whatever is in a block and not here is. */
export const NOT_RUN: readonly NotRun[] = [
  {
    command: /^npm ci(?: && npm (?:run \w+|test))?(?:\s+#.*)?$/,
    why: 'installs from the registry; test/demo.test.ts runs the demo, CI the whole line',
    check: command =>
      !command.includes('&&') || ['demo', 'test'].some(name => name in scripts && command.includes(name)),
  },
  {
    command: /^npm ci && npm pack/,
    why: 'installs from the registry; test/package.test.ts packs',
    check: () => isThere('test', 'package.test.ts'),
  },
  {
    command: /^npm install --global /,
    why: 'installs for the whole machine; test/package.test.ts installs the package',
  },
  {
    command: /^docker compose /,
    why: 'needs Docker; test/docs/deploy.test.ts reads the files',
    check: () => isThere('compose.yaml'),
  },
  {
    command: /^(?:claude|codex) mcp add /,
    why: 'needs the agent; test/mcp/stdio.test.ts starts the command as an agent does',
    check: () => isThere('test', 'mcp', 'stdio.test.ts'),
  },
  { command: /^apt-get install /, why: 'installs for the whole machine' },
  { command: /^(?:useradd|install) /, why: 'changes accounts and /etc of the machine' },
  { command: /^systemctl /, why: 'needs systemd; test/docs/deploy.test.ts verifies the unit' },
  {
    command: /^cp deploy\/faultline\.service /,
    why: 'writes into /etc',
    check: () => isThere('deploy', 'faultline.service'),
  },
  {
    command: /^(?:pg_dump|pg_restore|cp --archive) /,
    why: 'needs a database; test/cluster/backup.test.ts runs it',
    check: () => isThere('test', 'cluster', 'backup.test.ts'),
  },
  {
    command: /^(?:rclone copy|aws s3 sync) /,
    why: 'needs a bucket and a program of its service; test/cluster/backup-bucket.test.ts copies as they do',
    check: () => isThere('test', 'cluster', 'backup-bucket.test.ts'),
  },
  {
    command: /^(?:tar --(?:create|extract) |node -e .*VACUUM INTO)/,
    why: 'test/docs/backup.test.ts runs it on folders of its own',
    check: () => isThere('test', 'docs', 'backup.test.ts'),
  },
  {
    command: /^(?:npm test > test\.log .* faultline resolve|curl -s "\$FAULTLINE_SERVER)/,
    why: 'lines of CI, with its variables; test/docs/ci-page.test.ts runs them',
    check: () => isThere('test', 'docs', 'ci-page.test.ts'),
  },
  {
    command: /^curl .*\/clone[^]*"url": "\/srv\//,
    why: 'reads a folder of the machine of the server; test/routes/uncommitted.test.ts asks for one',
    check: () => isThere('test', 'routes', 'uncommitted.test.ts'),
  },
  {
    command: /^node bench\//,
    why: 'measures for minutes, on repositories that are not here',
    check: benchIsThere,
  },
]

/** Pages whose server wants a key. */
const KEYED: ReadonlySet<string> = new Set(['docs/authentication.md', 'docs/operating.md'])
/** Programs are run for these. */
const NEEDS_JAIL = /npx faultline (?:generate|heal|fix|bisect|feature)|\/self-heal|\/fix\b|\/bisect\b|\/features\b/

/** What is said of a command that is not run. */
export const notRun = (command: string): NotRun | undefined =>
  NOT_RUN.find(({ command: pattern }) => pattern.test(command))

/** The job that a command printed, if it did. */
function jobOf(stdout: string): { status?: string } {
  try {
    return (JSON.parse(stdout) ?? {}) as { status?: string }
  } catch {
    return {}
  }
}

/** Whether a command of the page can be run here. */
export const hasCommands = (page: DocPage): boolean => pageCommands(page).some(({ text }) => notRun(text) === undefined)

/** Runs the commands of a page, one after the other, as its reader would. */
export async function runPage(t: Test, page: DocPage): Promise<void> {
  const commands = pageCommands(page).filter(({ text }) => notRun(text) === undefined)
  const cloned = /npx faultline (?!.*--server).*--project shop/.test(page.text)
  const world = await openDocWorld(t, { keyed: KEYED.has(page.path), cloned })
  for (const { text, line } of commands) {
    const name = `${page.path}:${line} ${text.split('\n', 1)[0]}`
    if (NEEDS_JAIL.test(text) && inJail.skip !== undefined) {
      t.pass(`left out, ${inJail.skip}: ${name}`)
      continue
    }
    const { exitCode, stdout, stderr } = await world.run(text)
    t.equal(exitCode, 0, `${name}${exitCode === 0 ? '' : `\n${stdout}\n${stderr}`}`)
    const { status } = jobOf(stdout)
    if (status !== undefined) t.not(status, 'failed', `${name}${status === 'failed' ? `\n${stdout}` : ''}`)
  }
}
