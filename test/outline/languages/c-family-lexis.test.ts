import { test } from 'tap'
import { CPP, CSHARP, JAVA } from '../../../src/outline/languages/c-family-lexis.ts'
import { type Lexis, tokenizeSource } from '../../../src/outline/lexis/lexer.ts'

/** The tokens of a text, with a `·` between them. */
function cut(text: string, lexis: Lexis): string {
  const tokens = tokenizeSource(text, lexis)
  return Array.from({ length: tokens.count }, (_, at) => tokens.textOf(at)).join('·')
}

test('Java: strings, text blocks and characters are one token each', async t => {
  t.equal(cut('a "b\\"{" \'{\' c', JAVA), 'a·"b\\"{"·\'{\'·c')
  t.equal(cut('a """\n{ "b" }""" c', JAVA), 'a·"""\n{ "b" }"""·c')
})

test('C#: verbatim, interpolated and raw strings', async t => {
  t.equal(cut('@"\\" + b', CSHARP), '@"\\"·+·b')
  t.equal(cut('@"a""{" + b', CSHARP), '@"a""{"·+·b')
  t.equal(cut('$"{f("}")}{{" + b', CSHARP), '$"{f("}")}{{"·+·b')
  t.equal(cut('$@"{\n"}"}" + b', CSHARP), '$@"{\n"}"}"·+·b')
  t.equal(cut('"""a "b" {""" + b', CSHARP), '"""a "b" {"""·+·b')
  t.equal(cut('a $b c', CSHARP), 'a·b·c', 'a sign that stands nowhere')
  t.equal(cut('@if', CSHARP), '@·if', 'a keyword as a name')
})

test('C#: directives are left out, in both branches the code stays', async t => {
  t.equal(cut('a\n#if X // {\nb\n#else\nc\n#endif\nd', CSHARP), 'a·b·c·d')
})

test('C++: raw strings end at their mark, others with their line', async t => {
  t.equal(cut('R"x()")x" a', CPP), 'R·"x()")x"·a')
  t.equal(cut('u8R"(")" a', CPP), 'u8R·"(")"·a')
  const marked = (mark: string): string => cut(`R"${mark}(")${mark}" b`, CPP)
  const [longest, longer] = ['x'.repeat(16), 'x'.repeat(17)]
  t.equal(marked(longest), `R·"${longest}(")${longest}"·b`)
  t.equal(marked(longer), `R·"${longer}("·)·${longer}·" b`, 'no mark is so long')
  t.equal(cut('"a\nb', CPP), '"a·b')
  t.equal(cut("1'000'000 + 'a'", CPP), "1·000·000·+·'a'", 'a quote in a number begins no character')
})

test('C: a directive goes on behind a backslash and over a comment that spans lines', async t => {
  t.equal(cut('#define A { \\\n { \\\n {\nb', CPP), 'b')
  t.equal(cut('#define A /* {\n } */ c\nb', CPP), 'c·b')
  t.equal(cut('#define A /* { */ {\nb', CPP), 'b')
  t.equal(cut('a # b', CPP), 'a·#·b', 'in the middle of a line it is none')
})

test('C: each branch of a condition counts while its brackets balance', async t => {
  t.equal(cut('#if A\na { }\n#elif B\nb\n#else\nc\n#endif\nd', CPP), 'a·{·}·b·c·d')
})

test('C: of branches that do not balance the first one counts', async t => {
  t.equal(cut('#ifdef A\na {\n#else\nb {\n#endif\nc }', CPP), 'a·{·c·}')
  t.equal(cut('#if A\na {\n#elif B\n#if C\nb {\n#endif\n#else\nc {\n#endif\nd }', CPP), 'a·{·d·}')
})

test('C: a later branch that does not balance goes', async t => {
  t.equal(cut('#ifndef A\na\n#else\nb {\n#endif\nc', CPP), 'a·c')
})

test('C: other directives end no branch, nor do ends of conditions that nothing began', async t => {
  t.equal(cut('#if A\na {\n#define B {\n#pragma b\nc }\n#endif\nd', CPP), 'a·{·c·}·d')
  t.equal(cut('#else\na {\n#endif\n#elif B\nb }\n#endif\n#if C\nc\n#endif', CPP), 'a·{·b·}·c')
})

test('C: behind the end of a condition its branches are those of the one around', async t => {
  t.equal(cut('#if A\na {\n#if B\nb\n#endif\n#else\nc {\n#endif\nd }', CPP), 'a·{·b·d·}')
  t.equal(cut('#if A\na {\n#if B\n{\n#else\n{ {\n#endif\n}\n#else\nc\n#endif\nd }', CPP), 'a·{·{·}·d·}')
  t.equal(cut('#if A\na\n#else\n#if B\nb\n#endif\nc {\n#endif\nd', CPP), 'a·d')
})
