import { test } from 'tap'
import { buildApp } from '../../helpers/build-app.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { SHOP_TRACE } from '../../helpers/sample-repository.ts'
import { testFolder } from '../../helpers/test-folder.ts'

test('parse prints the frames of a text, for a person and for a program, with a server and without', async t => {
  const cli = createCli(testFolder(t))
  const person = await cli.run(['parse', '-'], { input: SHOP_TRACE })
  t.equal(person.exitCode, 0, person.stderr)
  t.match(person.stdout, /ZeroDivisionError: division by zero[^]*cart\.py:9[^]*prices\.py:6 +average/)
  const program = await cli.run(['parse', '--json'], { input: SHOP_TRACE })
  const parsed = JSON.parse(program.stdout)
  t.equal(parsed.frames.length, 2)
  const { app } = await buildApp(t)
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const remote = await cli.run(['parse', '--json', '--server', url], { input: SHOP_TRACE })
  t.same(JSON.parse(remote.stdout), parsed)
  const nothing = await cli.run(['parse', '-'], { input: 'all is well' })
  t.equal(nothing.exitCode, 1)
  t.match(nothing.stdout, /no stack trace/)
})
