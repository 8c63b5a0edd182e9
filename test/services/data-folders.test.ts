import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { lockDataFolders } from '../../src/services/data-folders.ts'
import { testFolder } from '../helpers/test-folder.ts'

test('one process at a time has the folders; another one hears where it is', async t => {
  const config = loadConfig({ root: testFolder(t), env: {} })
  const lock = lockDataFolders(config)
  lock.announce('http://127.0.0.1:8080')
  t.throws(() => lockDataFolders(config), { code: 'DATA_DIR_LOCKED' })
  lock[Symbol.dispose]()
  t.doesNotThrow(() => lockDataFolders(config)[Symbol.dispose]())
})
