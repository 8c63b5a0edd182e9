import { test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'

test('many questions whether the server is ready ask the machine once', async t => {
  const { app, services } = await buildApp(t)
  let asked = 0
  const { machine } = services
  services.machine = () => {
    asked++
    return machine()
  }
  const answers = await Promise.all(Array.from({ length: 5 }, () => app.inject('/ready')))
  t.match((await app.inject('/ready')).json(), { ready: true, git: { available: true } })
  t.ok(answers.every(res => res.statusCode === 200))
  t.equal(asked, 1)
})

test('a failure to look is not kept', async t => {
  const { app, services } = await buildApp(t)
  const { machine } = services
  services.machine = async () => {
    throw new Error('no process could be started')
  }
  t.equal((await app.inject('/ready')).statusCode, 500)
  services.machine = machine
  t.equal((await app.inject('/ready')).statusCode, 200)
})
