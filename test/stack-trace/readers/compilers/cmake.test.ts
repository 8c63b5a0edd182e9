import { test } from 'tap'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

test('CMake: the call stack leads to the place', async t => {
  const [error] = summary(readTrace('cmake-3.25'))
  t.same(error?.frames, ['CMakeLists.txt:3 null', 'paths.cmake:4 include', 'paths.cmake:2 find_till'])
  t.match(error?.head, /^root CMake Error: By not providing "FindTill\.cmake"/)
})
