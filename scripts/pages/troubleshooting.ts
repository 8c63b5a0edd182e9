// docs/troubleshooting.md, made from the tables of error codes.
import { CLI_CODE_HELP } from '../../src/cli/cli-codes.ts'
import { exitCodeFor } from '../../src/cli/exit-codes.ts'
import { ERROR_CODES, type ErrorCode } from '../../src/core/errors.ts'
import { ERROR_HELP, ERROR_TOPICS } from '../../src/core/error-help.ts'
import { STATUS_BY_CODE } from '../../src/http/plugins/problems.ts'

const HEAD = `# Troubleshooting

Every error has a \`code\`, a \`detail\` that says what happened to what, and a \`fix\` with the next call or setting.
Over HTTP they stand in the body (\`application/problem+json\`), on the command line behind \`faultline:\` and
\`fix:\`. A job that failed has \`code\` and \`message\` in its \`error\`. This page has each code with its usual cause
and its cure. \`faultline doctor\` says what works on this machine, and what is missing.

The log of the server has more: each of its lines about a request bears the \`reqId\` that is \`instance\` of the error.

<!-- Made by "npm run pages" from src/core/error-help.ts; change it there. -->`

const EXIT_MEANINGS =
  'Exit codes of the command line: 1 failed, 2 wrong usage, 3 something is missing, 130 interrupted.'

/** A sentence in Markdown: what stands in angle brackets would be taken for HTML. */
const asText = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('*', '\\*')

const entry = (code: string, seenAs: string, { cause, cure }: { cause: string; cure: string }): string =>
  `### \`${code}\`\n\n${seenAs}. ${cause}\n\n**Cure:** ${asText(cure)}`

const serverEntry = (code: ErrorCode): string =>
  entry(code, `Status ${STATUS_BY_CODE[code]}, exit code ${exitCodeFor(code)}`, ERROR_HELP[code])

/** The page, before Prettier has set its lines. */
export function troubleshootingPage(): string {
  const sections = Object.entries(ERROR_TOPICS).map(([topic, title]) => {
    const codes = ERROR_CODES.filter(code => ERROR_HELP[code].about === topic)
    return [`## ${title}`, ...codes.map(serverEntry)].join('\n\n')
  })
  const cli = Object.entries(CLI_CODE_HELP).map(([code, help]) => entry(code, `Exit code ${help.exit}`, help))
  return [HEAD, ...sections, '## Of the command line alone', EXIT_MEANINGS, ...cli].join('\n\n')
}
