import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { shown } from '../../../helpers/shown-trace.ts'

const report = (where: string) =>
  `FAILURE: Build failed with an exception.\n\n* Where:\n${where}\n\n* What went wrong:\n` +
  "A problem occurred evaluating root project 'shop'.\n> Could not find property 'user'.\n\n* Try:\n" +
  'Run with --stacktrace.\n'

test('the place that Gradle names, and below it what went wrong', async t => {
  for (const [where, frame, language] of [
    ["Build file '/srv/shop/build.gradle' line: 95", 'null /srv/shop/build.gradle:95', 'groovy'],
    ["Build file 'D:\\a shop\\build.gradle.kts' line: 7", 'null D:\\a shop\\build.gradle.kts:7', 'kotlin'],
    ["Script '/srv/shop/a.gradle' line: 3", 'null /srv/shop/a.gradle:3', 'groovy'],
  ] as const) {
    t.same(
      readExceptions(report(where)),
      [
        {
          head: "root null: A problem occurred evaluating root project 'shop'.\n> Could not find property 'user'.",
          frames: [frame],
        },
      ],
      where,
    )
    t.same(languagesOf(report(where)), [language], where)
  }
})

test('the message may be the last line of the log', async t => {
  t.same(
    shown(['* Where:', "Build file '/srv/app/build.gradle' line: 12", '', '* What went wrong:', 'no task'].join('\n')),
    [{ head: 'root null: no task', frames: ['/srv/app/build.gradle:12 -'] }],
  )
})
