import { spawnSync } from 'node:child_process'
import { test } from 'tap'
import { cliFolder } from '../../helpers/cli-folder.ts'

const hasGroff = spawnSync('groff', ['--version']).status === 0

test('the manual page has all commands with their options, and no sign of theirs is one of roff', async t => {
  const { cli } = cliFolder(t)
  const { exitCode, stdout: page } = await cli.call(['man'])
  t.equal(exitCode, 0)
  t.match(page, /^\.TH FAULTLINE 1 "" "faultline \d/)
  for (const section of ['NAME', 'SYNOPSIS', 'OPTIONS', 'COMMANDS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES']) {
    t.ok(page.includes(`.SH ${section}\n`), section)
  }
  for (const command of ['serve', 'jobs follow', 'resolutions export', 'completion', 'man']) {
    t.ok(page.includes(`.SS ${command}\n`), command)
  }
  t.ok(page.includes('\\fB\\-\\-status <status>\\fR\nonly jobs with this status (queued, running'))
  t.ok(page.includes('faultline jobs retry 4be1\\[u2026] \\-\\-from\\-step index'))
  t.notMatch(page, /[^\n -~]/, 'ASCII alone')
  t.equal(page.match(/^130 +interrupted|^ *130 +interrupted/gm)?.length, 1)
})

test('groff sets it without a warning', { skip: hasGroff ? false : 'there is no groff' }, async t => {
  const { cli } = cliFolder(t)
  const { stdout: page } = await cli.call(['man'])
  const { status, stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-P-cbou'], {
    input: page,
    encoding: 'utf8',
  })
  t.equal(status, 0)
  t.equal(stderr, '')
  t.match(stdout, /jobs follow \[options\] <id>[^]*show live what happens in a job/)
  t.match(stdout, /\$ faultline jobs retry 4be1… --from-step index/)
})
