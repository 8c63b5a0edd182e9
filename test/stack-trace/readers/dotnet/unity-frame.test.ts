import fc from 'fast-check'
import { test } from 'tap'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('Unity puts no "at" in front; what is rethrown is the failure, what was thrown its cause', async t => {
  t.same(read('unity-2018-packages'), [
    {
      head: 'root NullReferenceException: Object reference not set to an instance of an object',
      frames: [
        'Improbable.Gdk.GameObjectRepresentation.ReaderWriterBase.OnComponentUpdate ' +
          'Packages/com.improbable.gdk.core/GameObjectRepresentation/ReadersWriters/ReaderWriterBase.cs:216',
        'Improbable.Gdk.Core.ForwardingDispatcher.HandleLog ' +
          'Packages/com.improbable.gdk.core/Logging/ForwardingDispatcher.cs:68',
        'Improbable.Gdk.Core.LogEvent.WithField Packages/com.improbable.gdk.core/Logging/LogEvent.cs:52',
      ],
    },
  ])
  t.match(read('unity-bepinex-log'), [
    {
      head: 'root NullReferenceException: null',
      frames: { length: 5, 4: 'UnityEngine.Component.TryGetComponent null:null' },
    },
  ])
  const text =
    'FormatException: not a number\nShop.Till.Read (System.String text) (at Assets/My Scripts/Till.cs:9)\n' +
    'Rethrow as TargetInvocationException: It failed.\nShop.Loader:Run() (at Assets/Loader.cs:3)\n' +
    'UnityEngine.Debug:Log(Object)\n'
  t.same(readExceptions(text), [
    { head: 'cause FormatException: not a number', frames: ['Shop.Till.Read Assets/My Scripts/Till.cs:9'] },
    {
      head: 'root TargetInvocationException: It failed.',
      frames: ['UnityEngine.Debug.Log null:null', 'Shop.Loader.Run Assets/Loader.cs:3'],
    },
  ])
  t.same(readExceptions('a button:click(here)\nfound (at home:12)'), [])
})

const name = fc.stringMatching(/^[A-Z][a-zA-Z0-9]{0,10}$/)
const frame = fc.record({
  path: fc.array(name, { minLength: 2, maxLength: 5 }),
  line: fc.integer({ min: 1, max: 99_999 }),
  drive: fc.constantFrom('C:\\src\\', '/srv/', 'D:\\a\\1\\s\\My App\\'),
})

test("rendered rows of Unity's are read back", async t => {
  fc.assert(
    fc.property(fc.uniqueArray(frame, { minLength: 1, maxLength: 20, selector: one => one.line }), rows => {
      const places = rows.map(({ path, drive, line }) => ({
        name: path.join('.'),
        place: `${drive}${path[0]}.cs:${line}`,
      }))
      const text = `Exception: no stock\n${places
        .map(({ name, place }) => `${name} (System.Int32 n, Shop.Line[] lines) (at ` + `${place})\n`)
        .join('')}`
      t.same(readExceptions(text), [
        { head: 'root Exception: no stock', frames: places.map(({ name, place }) => `${name} ${place}`).toReversed() },
      ])
    }),
    { numRuns: runs(60) },
  )
})
