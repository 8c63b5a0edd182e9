import { Command } from 'commander'
import type { Variables } from '../config.ts'
import { addAudit } from './commands/audit.ts'
import { addBisect } from './commands/bisect.ts'
import { addClone } from './commands/clone.ts'
import { addCluster } from './commands/cluster.ts'
import { addDoctor } from './commands/doctor.ts'
import { addFeature } from './commands/feature.ts'
import { addFix } from './commands/fix.ts'
import { addGenerate } from './commands/generate.ts'
import { addHeal } from './commands/heal.ts'
import { addImprove } from './commands/improve.ts'
import { addJobs } from './commands/jobs.ts'
import { addMcp, type OpenMcp } from './commands/mcp.ts'
import { addMigrate } from './commands/migrate.ts'
import { addMove } from './commands/move.ts'
import { addParse } from './commands/parse.ts'
import { addProjects } from './commands/projects.ts'
import { addResolve } from './commands/resolve.ts'
import { addResolutions } from './commands/resolutions.ts'
import { addSearch } from './commands/search.ts'
import { addServe } from './commands/serve.ts'
import { addShell } from './commands/shell.ts'
import { addTasks } from './commands/tasks.ts'
import { EXIT_CODES_HELP } from './exit-codes.ts'
import type { Terminal } from './output.ts'
import type { Run } from './run.ts'

/** What the program runs its commands with. */
interface ProgramOptions {
  version: string
  terminal: Terminal
  run: Run
  serve: (flags: Variables) => Promise<void>
  openMcp: OpenMcp
}

/** The commands and their help. Errors of usage are thrown as CommanderError and printed by the caller. */
export function createProgram({ version, terminal, run, serve, openMcp }: ProgramOptions): Command {
  const program = new Command('faultline')
    .description('From a stack trace to the code behind it.')
    .version(version)
    .option('--server <url>', 'work as a client of a running server; default: FAULTLINE_SERVER')
    .option(
      '--no-server',
      'work in this process, whatever FAULTLINE_SERVER says and although a server holds the folders',
    )
    .option('--api-key <key>', 'key for --server; better in FAULTLINE_API_KEY, where other users do not see it')
    .option('--json', 'print one JSON document, as the HTTP API gives it')
    .option('-q, --quiet', 'no progress and no notes')
    .option('--data-dir <folder>', 'DATA_DIR; the index and the clones are kept in it too')
    .option('--vector-store-dir <folder>', 'VECTOR_STORE_DIR')
    .option('--cloned-repos-dir <folder>', 'CLONED_REPOS_DIR')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: text => {
        terminal.stdout.write(text)
      },
      writeErr: text => {
        terminal.stderr.write(text)
      },
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
The same services run in this process, no server needed. A server that holds the data folders does the work where there
is one, and --server URL makes any command a client of another.

Examples:
  $ npm test 2>&1 | faultline resolve -
  $ faultline clone https://github.com/pallets/flask.git
  $ faultline generate "A Python program that prints the first 20 prime numbers"
  $ faultline run "Refuse an empty e-mail address in the sign-up form" --repo ~/src/shop
  $ faultline serve
${EXIT_CODES_HELP}`,
    )

  addServe(program, serve)
  addClone(program, run)
  addResolve(program, run)
  addGenerate(program, run)
  addImprove(program, run)
  addHeal(program, run)
  addFix(program, run)
  addFeature(program, run)
  addBisect(program, run)
  addTasks(program, run)
  addParse(program, run)
  addProjects(program, run)
  addResolutions(program, run)
  addSearch(program, run)
  addJobs(program, run)
  addAudit(program, run)
  addCluster(program, run)
  addDoctor(program, run)
  addMigrate(program, run)
  addMove(program, run)
  addMcp(program, run, openMcp)
  addShell(program, terminal)
  return program
}
