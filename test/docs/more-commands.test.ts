// The pages that commands.test.ts leaves to this file.
import { t, test } from 'tap'
import { docPages } from '../helpers/doc-pages.ts'
import { hasCommands, runPage } from '../helpers/doc-run.ts'

const MIDDLE = 'docs/h'
const PAGE_TIMEOUT_MS = 600_000
t.setTimeout(PAGE_TIMEOUT_MS * 2)

for (const page of docPages().filter(({ path }) => path >= MIDDLE)) {
  if (!hasCommands(page)) continue
  test(`each command of ${page.path} works as it stands`, { timeout: PAGE_TIMEOUT_MS }, async t => runPage(t, page))
}
