import { test } from 'tap'
import { CliError, failureOf, usageError } from '../../src/cli/cli-error.ts'
import { EXIT, exitCodeFor } from '../../src/cli/exit-codes.ts'
import { ERROR_CODES, FaultlineError } from '../../src/core/errors.ts'

test('every error has an exit code that the help explains', async t => {
  for (const code of ERROR_CODES) {
    t.ok(([EXIT.failed, EXIT.usage, EXIT.missing] as number[]).includes(exitCodeFor(code)), code)
  }
  t.equal(exitCodeFor('FROM_THE_FUTURE'), EXIT.failed)
  t.equal(exitCodeFor('DATA_DIR_LOCKED'), EXIT.missing)
  t.equal(exitCodeFor('BAD_REPOSITORY_URL'), EXIT.usage)
  t.equal(exitCodeFor('NO_STACK_TRACE'), EXIT.failed)
})

test('a failure says what happened and what to type next', async t => {
  t.match(failureOf(new FaultlineError('PROJECT_NOT_FOUND', 'There is no project "x".', 'GET /projects')), {
    code: 'PROJECT_NOT_FOUND',
    exitCode: EXIT.usage,
    fix: /faultline projects/,
  })
  t.match(failureOf(new FaultlineError('DISK_FULL', 'Full.', 'Free some space.')), {
    exitCode: EXIT.missing,
    fix: 'Free some space.',
  })
  t.strictSame(failureOf(usageError('No.', 'Yes.')), {
    code: 'USAGE',
    message: 'No.',
    fix: 'Yes.',
    exitCode: EXIT.usage,
  })
  t.match(failureOf(new CliError('NEW', 'x')), { exitCode: EXIT.failed })
})

test('an add-on that does not load is an installation to mend, anything unexpected is a bug', async t => {
  const broken = Object.assign(new Error('libstdc++.so.6: not found\nRequire stack'), { code: 'ERR_DLOPEN_FAILED' })
  t.match(failureOf(broken), { exitCode: EXIT.missing, message: /libstdc\+\+\.so\.6: not found$/, fix: /npm/ })
  t.match(failureOf(new TypeError('x is undefined')), {
    code: 'INTERNAL',
    exitCode: EXIT.failed,
    message: 'This is a bug: x is undefined',
    fix: /DEBUG/,
  })
  t.match(failureOf('text'), { code: 'INTERNAL', message: /text/ })
})
