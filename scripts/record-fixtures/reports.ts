// Renews the fixtures of test reports as XML: node scripts/record-fixtures/reports.ts
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { has, install, output } from './recorder.ts'

const REPORTS = join(import.meta.dirname, '../../test/fixtures/reports')

const cwd = install('reports')

function keep(name: string, text: string): void {
  writeFileSync(join(REPORTS, `${name}.xml`), text)
  console.log(name)
}

const major = process.versions.node.split('.', 1)[0] ?? '0'
keep(`junit-node-${major}`, output(['node', '--test', '--test-reporter=junit', 'cart.test.mjs'], { cwd }))
if (has('pytest', '--version')) {
  const version = /^pytest (\d+)/.exec(output(['pytest', '--version'], { cwd }))?.[1] ?? '0'
  output(['pytest', '-q', '--junitxml=python.xml', 'test_cart.py'], { cwd })
  keep(`junit-pytest-${version}`, output(['cat', 'python.xml'], { cwd }))
}
if (has('phpunit', '--version')) {
  cpSync(install('php'), `${cwd}/php`, { recursive: true })
  output(['phpunit', '--no-configuration', '--log-junit', 'php.xml', 'php/tests'], { cwd, env: { XDEBUG_MODE: 'off' } })
  keep('junit-phpunit-9', output(['cat', 'php.xml'], { cwd }))
}
