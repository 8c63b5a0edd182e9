import { test } from 'tap'
import { dropTestNumbers } from '../../../src/stack-trace/layout/test-numbers.ts'
import { readExceptions } from '../../helpers/read-trace.ts'
import { readTrace } from '../../helpers/trace-fixtures.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('the number of the test that CTest puts before each line is no part of it', async t => {
  t.same(read('ctest-tsan'), [
    {
      head: 'root null: Thread T124 (tid=4738, running) created by thread T6 at',
      frames: [
        'Realm_UnitTest__LangBindHelper_HandoverBetweenThreads::test_run ' +
          '/data/mci/32d3279a995390a6bd3d9f9be96dbf76/realm-core/build/../test/test_lang_bind_helper.cpp:3875',
        ...[450, 472].map(
          line =>
            'realm::util::Thread::start /data/mci/32d3279a995390a6bd3d9f9be96dbf76/realm-core/build/../src/' +
            `realm/util/thread.hpp:${line}`,
        ),
        'pthread_create /home/nnelson/Documents/llvm-project/llvm/utils/release/final/llvm-project/' +
          'compiler-rt/lib/tsan/rtl/tsan_interceptors_posix.cpp:966',
      ],
    },
  ])
  const listing = ['1: one', '2: two', '2: again', '3: three']
  dropTestNumbers(listing)
  t.same(listing, ['1: one', '2: two', '2: again', '3: three'])
})
