import type { Command } from 'commander'
import type { Config } from '../../config.ts'
import type { Readiness } from '../../contract/readiness.ts'
import { failureOf } from '../cli-error.ts'
import {
  databaseChecks,
  embeddingCheck,
  folderCheck,
  gitCheck,
  missing,
  modelCheck,
  nodeCheck,
  onlineModelCheck,
  sandboxCheck,
  searchCheck,
  serverDatabaseChecks,
  storeChecks,
  type Check,
} from '../doctor-checks.ts'
import { EXIT } from '../exit-codes.ts'
import type { Paint } from '../../text/paint.ts'
import type { Run } from '../run.ts'
import type { Session } from '../session.ts'
import { columns } from '../../text/table.ts'
import { printableLine } from '../../text/terminal-text.ts'

const readinessChecks = ({ git, llm, embedding, sandbox }: Omit<Readiness, 'database'>): Check[] => [
  gitCheck(git),
  modelCheck(llm),
  embeddingCheck(embedding),
  sandboxCheck(sandbox),
]

const remoteChecks = (session: Session): Promise<Check[]> =>
  session.withBackend(async backend => {
    const readiness = await backend.ready()
    return [
      searchCheck(readiness.search === 'exact' ? 'it is not installed there' : null),
      ...readinessChecks(readiness),
      ...serverDatabaseChecks(readiness.database),
    ]
  })

/** Checks of the parts of this installation. A part that is missing already fails the import of the services. */
async function partChecks(config: Config): Promise<Check[]> {
  try {
    const { diagnose } = await import('../../services/diagnose.ts')
    const { store, database, ...readiness } = await diagnose(config)
    return [...storeChecks(store), ...readinessChecks(readiness), ...databaseChecks(database)]
  } catch (error) {
    const { message, fix } = failureOf(error)
    return [missing('installation', message, fix ?? 'npm ci')]
  }
}

async function localChecks({ flags, cwd, signal }: Session, online: boolean): Promise<Check[]> {
  const node = nodeCheck(process.versions.node)
  const { loadConfig } = await import('../../config.ts')
  let config: Config
  try {
    config = loadConfig({ flags, cwd })
  } catch (error) {
    const { message, fix } = failureOf(error)
    return [node, missing('configuration', message, fix ?? 'See .env.example.')]
  }
  const folders = await Promise.all([
    folderCheck('DATA_DIR', config.dataDir, config.diskReserveBytes),
    folderCheck('VECTOR_STORE_DIR', config.vectorStoreDir, config.diskReserveBytes),
    folderCheck('CLONED_REPOS_DIR', config.clonedReposDir, config.diskReserveBytes),
    folderCheck('WORKSPACES_DIR', config.workspacesDir, config.diskReserveBytes),
  ])
  const notices: Check[] = config.notices.map(notice => ({
    name: 'configuration',
    status: 'warn',
    detail: notice,
    fix: 'See .env.example.',
    necessary: false,
  }))
  const parts = await partChecks(config)
  if (online && config.llm !== null) {
    const model = await onlineModelCheck(config.llm, signal)
    return [node, ...parts.map(check => (check.name === 'model' ? model : check)), ...folders, ...notices]
  }
  return [node, ...parts, ...folders, ...notices]
}

const MARK = { ok: ['green', 'ok'], warn: ['yellow', 'warn'], missing: ['red', 'missing'] } as const

function checksText(checks: readonly Check[], paint: Paint): string {
  const rows = columns(
    checks.map(({ name, status, detail }) => [paint(MARK[status][0], MARK[status][1]), name, printableLine(detail)]),
  ).split('\n')
  const fixes = checks.filter(({ fix }) => fix !== null).map(({ name, fix }) => `  ${name}: ${fix ?? ''}`)
  return [...rows, ...(fixes.length === 0 ? ['', 'Everything is there.'] : ['', 'To mend it:', ...fixes])].join('\n')
}

async function doctor(session: Session, { online = false }: { online?: boolean }): Promise<number> {
  const checks = session.isRemote ? await remoteChecks(session) : await localChecks(session, online)
  const broken = checks.some(({ status, necessary }) => necessary && status === 'missing')
  session.output.result({ ok: !broken, checks }, () => checksText(checks, session.output.paint))
  return broken ? EXIT.missing : EXIT.done
}

/** Adds `faultline doctor`. */
export function addDoctor(program: Command, run: Run): void {
  program
    .command('doctor')
    .description('what works on this machine, what is missing and how to get it')
    .option('--online', 'also ask the model server whether it is there')
    .addHelpText(
      'after',
      `
With --server: what works there. Exit code 3 when something is missing without which nothing works.

Examples:
  $ faultline doctor
  $ faultline doctor --online --json
  $ faultline doctor --server http://127.0.0.1:8000`,
    )
    .action((options: { online?: boolean }, command: Command) => run(command, session => doctor(session, options)))
}
