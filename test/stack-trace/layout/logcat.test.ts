import { test } from 'tap'
import { logcatLength } from '../../../src/stack-trace/layout/logcat.ts'
import { readExceptions } from '../../helpers/read-trace.ts'
import { readTrace } from '../../helpers/trace-fixtures.ts'

test("every layout of Android's log is taken off a trace", async t => {
  const innermost = (name: string) => readExceptions(readTrace(name)).at(-1)?.frames.at(-1)
  t.equal(
    innermost('android-logcat-brief'),
    'android.app.ActivityThread.performLaunchActivity ActivityThread.java:2298',
  )
  t.equal(
    innermost('android-logcat-studio'),
    'io.github.muntashirakon.AppManager.runningapps.RunningAppsAdapter.lambda$onBindViewHolder$1 ' +
      'RunningAppsAdapter.java:153',
  )
  t.equal(innermost('android-logcat-tagged'), 'java.lang.String.indexAndLength String.java:584')
  t.equal(
    innermost('android-logcat-threadtime'),
    'android.app.ActivityThread.handleLaunchActivity ActivityThread.java:3806',
  )
  t.equal(
    readExceptions(readTrace('android-logcat-studio'))[0]?.head,
    'root java.lang.ArithmeticException: divide by zero',
  )
})

test('what is behind the prefix stays as it is', async t => {
  const message = '\tat a.B.c(B.java:1)'
  for (const prefix of [
    'E/AndroidRuntime( 6566): ',
    'W/System.err: ',
    '02-24 15:20:06.121 17635 17635 W System.err: ',
    '17635 17635 W System.err: ',
    '31217-31217/? W/System.err: ',
    '15881-15881 Runtime          com.acme.debug  E  ',
  ]) {
    t.equal((prefix + message).slice(logcatLength(prefix + message)), message, prefix)
  }
})

test('other lines have no such prefix', async t => {
  for (const line of ['Error: x', '12 apples', 'E: x', '02-24 15:20:06.121 started', 'D:/a/b.cs:12', '/srv/a.ts:1']) {
    t.equal(logcatLength(line), 0, line)
  }
})
