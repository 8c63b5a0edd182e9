import assert from 'node:assert/strict'
import { test } from 'node:test'
import { {{toolFunction}} } from '{{{toolImport}}}'

test('{{toolName}} does what it says', async () => {
  // TODO: call {{toolFunction}} and check what it did.
  assert.equal(typeof {{toolFunction}}, 'function')
  assert.fail('the test of {{toolName}} is not written yet')
})
