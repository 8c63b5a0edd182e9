// Writes the parts of the documentation that are made from the program itself: npm run pages
//
// docs/troubleshooting.md from the tables of error codes; docs/demo.svg and the text of it in README.md from what
// `npm run demo` prints. Tests say when one of them is out of date.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import { demoExcerpt } from './pages/demo-excerpt.ts'
import { demoPicture } from './pages/demo-picture.ts'
import { withExcerpt } from './pages/readme-demo.ts'
import { troubleshootingPage } from './pages/troubleshooting.ts'

const ROOT = dirname(import.meta.dirname)

async function writePage(path: string, text: string): Promise<void> {
  const file = join(ROOT, path)
  writeFileSync(file, await format(text, { ...(await resolveConfig(file)), filepath: file }))
}

/** What the demo prints on a machine where nothing is configured. */
function demoOutput(): string {
  const { PATH, TMPDIR, HOME } = process.env
  return execFileSync(process.execPath, [join(import.meta.dirname, 'demo.ts')], {
    encoding: 'utf8',
    env: { PATH, TMPDIR, HOME },
  })
}

const excerpt = demoExcerpt(demoOutput())
await writePage('docs/troubleshooting.md', troubleshootingPage())
await writePage('README.md', withExcerpt(readFileSync(join(ROOT, 'README.md'), 'utf8'), excerpt))
writeFileSync(join(ROOT, 'docs', 'demo.svg'), demoPicture(excerpt))
