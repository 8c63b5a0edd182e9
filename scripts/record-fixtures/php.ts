// Renews the fixtures of PHP, PHPUnit and Xdebug: node scripts/record-fixtures/php.ts
import { existsSync } from 'node:fs'
import { has, install, output, record } from './recorder.ts'

const cwd = install('php')
const PLAIN = ['-d', 'xdebug.mode=off', '-d', 'html_errors=0']
const SHOWN = [...PLAIN, '-d', 'display_errors=1', '-d', 'log_errors=0']
const LOGGED = [...PLAIN, '-d', 'display_errors=0', '-d', 'log_errors=1', '-d', 'error_log=']
const TABLE = ['-d', 'xdebug.mode=develop', '-d', 'html_errors=0', '-d', 'display_errors=1', '-d', 'log_errors=0']

if (has('php', '-v')) {
  const version = /^PHP (\d+\.\d+)/.exec(output(['php', '-v'], { cwd }))?.[1] ?? '0'
  for (const program of ['plain', 'previous', 'warning', 'parse', 'memory', 'evalled', 'logged']) {
    record(`php-${version}-${program}`, ['php', ...SHOWN, `${program}.php`], { cwd })
  }
  record(`php-${version}-errorlog`, ['php', ...LOGGED, 'previous.php'], { cwd })
  record(`php-${version}-html`, ['php', ...SHOWN, '-d', 'html_errors=1', 'warning.php'], { cwd })
  output(['php', ...SHOWN, '-d', 'phar.readonly=0', 'phar.php'], { cwd })
  record(`php-${version}-phar`, ['php', ...SHOWN, 'till.phar'], { cwd })
  if (output(['php', '-m'], { cwd }).includes('xdebug')) {
    for (const program of ['plain', 'previous', 'warning']) {
      record(`xdebug-3-${program}`, ['php', ...TABLE, `${program}.php`], { cwd })
    }
  } else console.log('skipped: xdebug is not installed')
  if (existsSync('/usr/share/php/Symfony/Component/Console/autoload.php')) {
    record('symfony-console-5-trace', ['php', ...SHOWN, 'console.php', 'sell', '-v', '--no-ansi'], { cwd })
    record('symfony-console-5-short', ['php', ...SHOWN, 'console.php', 'sell', '--no-ansi'], { cwd })
  } else console.log('skipped: symfony/console is not installed')
  if (has('phpunit', '--version')) {
    record('phpunit-9', ['phpunit', '--no-configuration', 'tests'], { cwd, env: { XDEBUG_MODE: 'off' } })
  }
}
