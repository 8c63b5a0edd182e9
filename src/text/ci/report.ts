import type { CiReport } from './finding.ts'
import { ciComment } from './comment.ts'
import { githubCommands } from './github.ts'
import { codeQualityReport } from './gitlab.ts'
import { sarifLog } from './sarif.ts'

export type { CiReport } from './finding.ts'

/** What CI systems read. */
export const CI_FORMATS = ['markdown', 'github', 'sarif', 'gitlab'] as const
/** One of them. */
export type CiFormat = (typeof CI_FORMATS)[number]

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

const WRITE: Readonly<Record<CiFormat, (report: CiReport) => string>> = {
  markdown: report => `${ciComment(report)}\n`,
  github: githubCommands,
  sarif: report => json(sarifLog(report)),
  gitlab: report => json(codeQualityReport(report)),
}

/** A report as one of the formats that CI systems read. */
export const ciReport = (format: CiFormat, report: CiReport): string => WRITE[format](report)
