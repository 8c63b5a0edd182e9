import { test } from 'tap'
import { CliError, failureOf, fixOf, interrupted, usageError } from '../../src/cli/cli-error.ts'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { ERROR_HELP } from '../../src/core/error-help.ts'
import { FaultlineError } from '../../src/core/errors.ts'

test('errors of the command line have their exit codes', async t => {
  t.match(usageError('No.', 'Yes.'), { code: 'USAGE', exitCode: EXIT.usage, fix: 'Yes.' })
  t.match(interrupted(), { code: 'INTERRUPTED', exitCode: EXIT.interrupted })
  t.match(new CliError('X', 'x'), { exitCode: EXIT.failed, fix: undefined, name: 'CliError' })
  t.equal(new CliError('TASK_NOT_FAILED', 'x').exitCode, EXIT.usage)
  t.equal(new CliError('SERVER_UNREACHABLE', 'x').exitCode, EXIT.missing)
})

test('the next step is a command, with the id of the job', async t => {
  t.match(fixOf('JOB_FINISHED', 'job_1'), /faultline jobs retry/)
  t.match(fixOf('NO_FILES_IN_REPLY', 'job_1'), /faultline jobs retry job_1/)
  t.equal(fixOf('DISK_FULL', 'job_1'), undefined)
})

test('a code of another release keeps the fix that came with it', async t => {
  t.match(failureOf(new CliError('NEW', 'x', { fix: 'y' })), { fix: 'y' })
  t.match(failureOf(new FaultlineError('UNAUTHORIZED', 'x', 'a header')), { fix: /--api-key/ })
})

test('an error without a next step has the cure of its code', async t => {
  t.equal(failureOf(new FaultlineError('EMPTY_REPOSITORY', 'x')).fix, ERROR_HELP.EMPTY_REPOSITORY.cure)
  t.equal(failureOf(new FaultlineError('EMPTY_REPOSITORY', 'x', 'y')).fix, 'y')
})
