import { test } from 'tap'
import { openFolderStore } from '../../src/object-store/folder-store.ts'
import { objectStoreContract } from '../contracts/object-store.ts'
import { testFolder } from '../helpers/test-folder.ts'

test('the contract of object stores, in a folder', async t => {
  objectStoreContract(t, async t => openFolderStore(testFolder(t)))
})
