import { test } from 'tap'
import { readAsked } from '../../../src/edits/parts/asked.ts'

/** Requests, with the names that each asks to remove or to rename. */
const ASKED: ReadonlyArray<[request: string, ...names: string[]]> = [
  ['Remove the function old_parse', 'old_parse'],
  ['Rename foo to bar', 'foo'],
  ['Remove foo and bar from utils.py', 'foo', 'bar'],
  ['Remove from utils.py the functions foo and bar', 'foo', 'bar'],
  ['In utils.py, the functions foo and bar are dead: delete them', 'foo', 'bar'],
  ['The function close is no longer used. Please delete it.', 'close'],
  ['old_load should be removed', 'old_load'],
  ['load() and save() can be deleted now.', 'load', 'save'],
  ['The legacy old_load must go', 'old_load'],
  ['Delete the `run` method', 'run'],
  ['Remove the Installation section', 'Installation', 'installation'],
  ['Remove the "Running in Docker" section', 'Running in Docker'],
  ['Replace moment with dayjs', 'moment'],
  ['Lösche die Funktion alt_laden', 'alt_laden'],
  ['Bitte die Funktion alt_laden entfernen', 'alt_laden'],
  ['alt_laden kann weg', 'alt_laden'],
  ['Benenne load in read_text um', 'load'],
  ['Lösche load, aber behalte save', 'load'],
  ['Keep save, but remove load', 'load'],
  ['Keep save, remove load', 'load'],
  ['Merge foo_a and foo_b into one function', 'foo_a', 'foo_b'],
  ['Drop the lodash dependency', 'lodash'],
  ['The functions add_two, add_three should be deleted.', 'add_two', 'add_three'],
  ['Get rid of close()', 'close'],
  ['Get rid of `Cart.total`', 'Cart.total'],
  ['Rename load to read_text and save to write_text, and remove close', 'load', 'save', 'close'],
  ['Rename load -> read_text, save -> write_text', 'load', 'save'],
  ['load -> read_text', 'load'],
  ['- `load` → `read_text`\n- `save` → `write_text`', 'load', 'save'],
  ['Remove the following functions:\n- close()\n- open_all (unused)', 'close', 'open_all'],
  ['Can you remove close, please?', 'close'],
  ['I want you to delete the class Cart', 'Cart'],
  ['Fix the typo in main and remove close', 'close'],
  ['Simplify main by removing close()', 'close'],
  ['Remove load without changing save', 'load'],
  ['Add a link to the docs and remove close', 'close'],
  ['Move main to the top, then delete load()', 'load'],
  ['удали функцию old_load', 'old_load'],
  ['Удалите функции load и save', 'load', 'save'],
  ['убери close и переименуй load в read_text', 'close', 'load'],
  ['Функция close больше не нужна, удали её', 'close'],
  ['функцию close нужно удалить', 'close'],
  ['Удали close, но не трогай save', 'close'],
  ['замени load на read_text', 'load'],
  ['Supprime la fonction close', 'close'],
  ['Elimina la función close', 'close'],
  ['删除 old_load 函数', 'old_load'],
  ['old_load を削除してください', 'old_load'],
]

/** Requests, with names that stay, whatever else is said of them. */
const STAYS: ReadonlyArray<[request: string, ...names: string[]]> = [
  ["Replace the body of load() so that it uses pathlib; don't touch save()", 'save', 'load'],
  ['Replace load() so that save() works', 'save', 'load'],
  ['Replace load with a faster version', 'load'],
  ['Remove the call to save()', 'save'],
  ['Remove the save() call', 'save'],
  ['Run the tests and remove dead code', 'run'],
  ["Remove foo's second argument", 'foo'],
  ['Use dayjs instead of moment', 'dayjs', 'moment'],
  ['Call load() instead of save()', 'save'],
  ['Fix load', 'load'],
  ['Keep save, remove load', 'save'],
  ['Remove the save button', 'save'],
  ['Remove everything except main', 'main'],
  ['Rename foo to foobar', 'foobar'],
  ['Delete files after save()', 'save', 'files'],
  ['Delete the temporary files when close() is called', 'close', 'files'],
  ['Remove caching from load()', 'load', 'caching'],
  ['Drop rows that parse() rejects', 'parse', 'rows'],
  ['Remove duplicates and save the result', 'save'],
  ['Remove duplicates and save', 'save'],
  ['Add a function to remove close', 'close'],
  ['Add a delete method, and let it remove items', 'items'],
  ['Make delete() remove load first', 'load'],
  ['When the user logs out, delete session', 'session'],
  ['Teach load to clear and remove items', 'items'],
  ['If load fails, remove cache', 'load', 'cache'],
  ['Fix the bug that deletes load', 'load'],
  ['The button deletes save, fix that', 'save'],
  ['Log a message before load is removed', 'load'],
  ['Do not remove close', 'close'],
  ["Don't rename or delete load", 'load'],
  ['Never drop save()', 'save'],
  ['Speed up load without removing save', 'save'],
  ['Remove load, not save', 'save'],
  ['Rename load and leave save', 'save'],
  ['Print "remove close" at the end', 'close'],
  ['It fails with:\n```\nremove close\n```\nFix it', 'close'],
  ['def load() -> str', 'load'],
  ['Remove all usages of close', 'close'],
  ['Remove logging and comments in main', 'main'],
  ['Remove utils.load from the docs of Cart', 'Cart'],
  ['Lösche nicht die Funktion load', 'load'],
  ['Lösche die Funktion load nicht', 'load'],
  ['lösche nicht load', 'load'],
  ['Beschleunige main, ohne load zu entfernen', 'load', 'main'],
  ['Die Funktion load darf nicht gelöscht werden', 'load'],
  ['Lösche load, aber behalte save', 'save'],
  ['Entferne die Aufrufe von save', 'save'],
  ['не удаляй close', 'close'],
  ['Исправь main, не удаляя close', 'close', 'main'],
  ['Удали close, но не трогай save', 'save'],
  ['Ускорь load без удаления save', 'save', 'load'],
  ['удали вызовы close', 'close'],
  ['Ne supprime pas la fonction close', 'close'],
  ['No elimines la función close', 'close'],
  ['不要删除 load', 'load'],
  ['load の呼び出しを削除', 'load'],
  ['Refactor the code', 'code'],
  ['Clean up the module', 'module'],
  ['Rewrite the file', 'file'],
  ['', 'load'],
]

test('a request asks to remove what a verb of removal or renaming governs', async t => {
  for (const [request, ...names] of ASKED) {
    const { removes } = readAsked(request)
    for (const name of names) t.ok(removes(name), `${request}: ${name}`)
  }
})

test('what a request names for another reason is to stay', async t => {
  for (const [request, ...names] of STAYS) {
    const { removes } = readAsked(request)
    for (const name of names) t.notOk(removes(name), `${request}: ${name}`)
  }
})

test('a method of one class is not asked away from all others', async t => {
  t.notOk(readAsked('Get rid of `Cart.total`').removes('total'))
})

test('a request may ask for all of a file, or for things that it does not name', async t => {
  const told = (request: string): unknown => {
    const { removesUnnamed, reworks, file } = readAsked(request)
    return [removesUnnamed, reworks, file]
  }
  const table: Array<[request: string, unnamed: string, reworks: boolean, file: string]> = [
    ['Rewrite utils.py from scratch', 'no', true, 'anew'],
    ['Replace the whole file', 'no', true, 'anew'],
    ['Перепиши файл с нуля', 'no', true, 'anew'],
    ['Rewrite the file', 'no', true, 'whole'],
    ['Rewrite the file completely', 'no', true, 'whole'],
    ['Rewrite load() from scratch', 'no', true, 'no'],
    ['Rewrite load completely', 'no', true, 'no'],
    ['Schreibe die Datei neu', 'no', true, 'whole'],
    ['перепиши файл целиком', 'no', true, 'whole'],
    ['Simplify this module', 'no', true, 'whole'],
    ['Clean up the module', 'no', true, 'whole'],
    ['Overhaul the module', 'no', true, 'whole'],
    ['Reimplement load', 'no', true, 'no'],
    ['Rework the parser', 'no', true, 'no'],
    ['Redesign Cart', 'no', true, 'no'],
    ['Refactor load', 'no', true, 'no'],
    ['Refactor the code', 'no', true, 'whole'],
    ['Do not rename anything', 'no', false, 'no'],
    ['Fix load without rewriting the file', 'no', false, 'no'],
    ['Remove unused functions', 'some', false, 'no'],
    ['Remove all other helper functions', 'some', false, 'no'],
    ['Entferne toten Code', 'some', false, 'no'],
    ['Удали неиспользуемые функции', 'some', false, 'no'],
    ['Remove unused variables', 'values', false, 'no'],
    ['Remove unused variables in load()', 'no', false, 'no'],
    ['Remove all print statements', 'no', false, 'no'],
    ['Do not remove unused functions', 'no', false, 'no'],
    ['Remove the rest of the arguments', 'no', false, 'no'],
    ['Remove everything after the marker', 'no', false, 'no'],
    ['Remove everything except main', 'most', false, 'no'],
    ['Delete everything else', 'most', false, 'no'],
    ['Add a flag', 'no', false, 'no'],
  ]
  for (const [request, ...wanted] of table) t.same(told(request), wanted, request)
})

test('a clause without an end is read as far as a person would write one', async t => {
  const { removes } = readAsked('rename a1 to b1 and '.repeat(1_000) + 'rename far to near')
  t.ok(removes('a1'))
  t.notOk(removes('far'))
})
