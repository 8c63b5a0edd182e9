import type { Runner, TestCommand } from './test-command.ts'

/** A command that also writes a report, and where. */
export interface ReportingCommand {
  command: string
  env: Record<string, string>
  /** Where reports are: see `isReportPath`. */
  reports: string[]
}

/** Written to the folder that the runner is started in: it exists. */
const XML = '.faultline-report.xml'
const JSON_FILE = '.faultline-report.json'
/** In any module of a project. */
const BY_ITSELF = ['target/surefire-reports/', 'target/failsafe-reports/', 'build/test-results/test/']
/** Where people have their runners write reports. */
const USUAL = ['junit.xml', 'report.xml', 'test-results.xml', 'test-results/junit.xml', 'reports/junit.xml']

/** Runners that read further options from a variable, so that they may stand anywhere in a command. */
const VARIABLES: Partial<Record<Runner, Pick<ReportingCommand, 'env' | 'reports'>>> = {
  pytest: { env: { PYTEST_ADDOPTS: `--junitxml=${XML}` }, reports: [`.../${XML}`] },
  node: {
    env: {
      NODE_OPTIONS:
        '--test-reporter=spec --test-reporter-destination=stdout ' +
        `--test-reporter=junit --test-reporter-destination=${XML}`,
    },
    reports: [`.../${XML}`],
  },
  rspec: {
    env: { SPEC_OPTS: `--format documentation --format json --out ${JSON_FILE}` },
    reports: [`.../${JSON_FILE}`],
  },
}

/** Runners that take them behind their command alone. */
const OPTIONS: Partial<Record<Runner, { options: string; report: string }>> = {
  jest: { options: `--json --outputFile=${JSON_FILE}`, report: JSON_FILE },
  vitest: { options: `--reporter=default --reporter=junit --outputFile.junit=${XML}`, report: XML },
  phpunit: { options: `--log-junit ${XML}`, report: XML },
}

/** Options for a report of the project's own, which these runners take once, or in pairs. */
const OWN_REPORT = /^--(?:test-reporter|outputFile|log-junit)/

/** Whether a command has a report of its own, or may have where its options are not known. */
const hasOwnReport = ({ parts }: TestCommand): boolean =>
  parts === null || parts.options.some(({ text }) => OWN_REPORT.test(text))

/** The command as it is, with the places where people have their runners write reports. */
export const asItIs = (command: string): ReportingCommand => ({ command, env: {}, reports: [...USUAL, ...BY_ITSELF] })

/**
 * The same command that also writes a report, where the runner can do so without anything installed. The exit code
 * stays what it is.
 */
export function withReport(command: string, test: TestCommand | null): ReportingCommand {
  if (test === null) return asItIs(command)
  const { runner, parts } = test
  const variables = VARIABLES[runner]
  const isOwn = hasOwnReport(test)
  if (variables !== undefined && !(runner === 'node' && isOwn)) return { command, ...variables }
  // it has one reporter at a time; this one prints what a person and a search for errors need, too
  if (runner === 'mocha' && parts !== null) {
    return { command: `${command}${parts.append} --reporter tap`, env: {}, reports: [] }
  }
  const more = OPTIONS[runner]
  if (more !== undefined && parts !== null && !isOwn) {
    return { command: `${command}${parts.append} ${more.options}`, env: {}, reports: [`.../${more.report}`] }
  }
  if (runner === 'go' && parts !== null && parts.append === '') {
    const { before, start, options } = parts
    const words = [start, '-json', ...options.map(({ raw }) => raw)]
    return { command: `${before}${words.join(' ')}`, env: {}, reports: [] }
  }
  return asItIs(command)
}
