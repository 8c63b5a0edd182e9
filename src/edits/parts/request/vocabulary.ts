/** A set of the words in a text. */
export const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter(word => word !== ''))

/** What the object of a verb becomes: it is gone, has another name, is part of something else, or another is used. */
export type Fate = 'gone' | 'renamed' | 'merged' | 'replaced' | 'left'

const verbs = (fate: Fate, text: string): Array<[string, Fate]> =>
  text.split(/\n|,/).flatMap(phrase => (phrase.trim() === '' ? [] : [[phrase.trim(), fate]]))

/** Verbs that stand before their object, as one asks with them; several words are separated by a blank. */
export const VERBS: ReadonlyMap<string, Fate> = new Map([
  ...verbs(
    'gone',
    'remove, delete, drop, eliminate, discard, prune, erase, purge, ditch, get rid of, strip, strip out',
  ),
  ...verbs('gone', 'cut, cut out, take out, throw away, throw out, rip out, removing, deleting, dropping'),
  ...verbs(
    'gone',
    'eliminating, getting rid of, lösch, lösche, löscht, löschen sie, entferne, entfernt, entfernen sie',
  ),
  ...verbs('gone', 'streiche, streich, supprime, supprimez, enlève, enlevez, retire'),
  ...verbs('gone', 'retirez, elimina, elimine, borra'),
  ...verbs(
    'gone',
    'borre, quita, quite, remova, apaga, apague, удали, удалите, удалить, убери, уберите, убрать, выкинь',
  ),
  ...verbs('gone', 'выкинуть, сотри, выпили'),
  ...verbs(
    'renamed',
    'rename, renaming, benenne, benenn, benennen sie, renomme, renommez, renombra, renombre, renomeie',
  ),
  ...verbs('renamed', 'переименуй, переименуйте, переименовать'),
  ...verbs(
    'merged',
    'merge, combine, unify, fold, inline, merging, inlining, combining, объедини, объединить, объедините',
  ),
  ...verbs(
    'replaced',
    'replace, substitute, swap, swap out, replacing, ersetze, ersetzt, ersetz, ersetzen sie, remplace',
  ),
  ...verbs('replaced', 'remplacez, reemplaza, reemplace, substitua, замени, замените, заменить'),
  ...verbs('left', 'migrate from, migrate away from, switch from, switch away from, move away from'),
])

/** Verbs behind their object: in languages that put them there, and of sentences in the passive. */
export const LATE_VERBS = words(
  'entfernen löschen umbenennen streichen gelöscht entfernt umbenannt gestrichen weg raus удалить убрать ' +
    'удали убери переименовать выкинуть удалена удалён удален удалено удалены убрана убран убраны',
)
export const PASSIVES = words('removed deleted dropped eliminated renamed replaced merged inlined discarded stripped')
/** Words between the subject of a sentence in the passive and its verb. */
export const MODALS = words(
  'should must can could may shall needs need has have is are ought to be please also now go kann können ' +
    'soll sollen sollte sollten muss müssen darf werden wird bitte auch нужно надо можно следует должна ' +
    'должен должно должны быть пожалуйста стоит пора',
)
/** Words between the two that make the sentence a request. */
export const ASKING = words(
  'should must can could may shall needs need has have is are ought kann können soll sollen sollte sollten ' +
    'muss müssen bitte нужно надо можно следует должна должен должно должны стоит пора пожалуйста',
)

/** Words with which a sentence may begin before its verb. */
export const FILLERS = words(
  'please also just then now simply first firstly second finally next so and can could would will you we i ' +
    "i'd you're let's lets let us me want wants need should must have like to go ahead try be sure make task " +
    'todo goal your is the by bitte auch dann nun jetzt zuerst und kannst könntest du wir ich möchte ' +
    'пожалуйста также затем but instead however aber doch но mais pero mas потом теперь сначала и нужно надо ' +
    'можно следует давай ты вы можешь мне нам хочу et puis veuillez aussi maintenant y luego también por ' +
    'favor ahora e também agora 1 2 3 4 5 6 7 8 9',
)
/** Words behind which a verb says what something does, not what is asked for. */
export const EMBEDS = words(
  'that which who whose can could should would will must may might when whenever if after before once until ' +
    'unless while where lets allows allow enables enable for how why what der die das welche wenn falls ' +
    'nachdem bevor damit dass um который которая которое которые чтобы если когда после qui que quand si pour ' +
    'cuando para quando',
)
/** Verbs whose "to" names a place or a name. */
export const TO_A_NAME = words('rename renaming move change convert migrate switch port add')

/** Words that make a statement the opposite. */
export const NEGATIONS = words(
  "not don't dont doesn't didn't won't shouldn't mustn't can't cannot couldn't wouldn't isn't aren't never " +
    'without neither nor avoid stop nicht nichts kein keine keinen keiner keines keinem niemals nie ohne ' +
    "weder не без никогда нельзя ни ne n'y pas jamais sans no ni sin nunca jamás não nem sem jamais",
)
/** Words of a clause that says what is to stay. */
export const KEEPS = words(
  'keep keeps keeping leave leaves leaving preserve preserving retain retaining untouched unchanged intact ' +
    'stay stays remain remains behalte behalten behält lass lasse lassen bleib bleibt bleiben unverändert ' +
    'garde gardez garder conserve conserver laisse laissez conserva mantén mantener deja dejar mantenha ' +
    'manter оставь оставьте оставить сохрани сохраните сохранить сохраняя оставляя except besides außer sauf ' +
    'hormis excepto salvo exceto кроме',
)
/** With a negation before it, one of these says why something may go. */
export const USES = words(
  'used needed called required necessary referenced useful use need mehr gebraucht benötigt verwendet ' +
    'genutzt нужна нужен нужно нужны используется используются использую вызывается вызываются utilisée ' +
    'utilisé utilisés usa usado',
)
export const NO_LONGER = words('no longer any nicht больше more even really actually being is be wird')

/** What a name may be called in front of it or behind it. */
export const KINDS = words(
  'function functions method methods class classes helper helpers constant constants variable variables ' +
    'const type types interface interfaces struct structs enum enums field fields key keys script scripts ' +
    'dependency dependencies package packages rule rules selector selectors section sections heading headings ' +
    'header headers route routes endpoint endpoints test tests case cases table tables column columns target ' +
    'targets setting settings option options entry entries property properties attribute attributes module ' +
    'argument arguments parameter parameters flag flags ' +
    'modules component components hook hooks command commands job jobs step steps service services stage ' +
    'stages block blocks style styles element elements import imports macro macros trait traits definition ' +
    'definitions implementation implementations code subroutine procedure handler handlers utility utilities ' +
    'util utils getter setter part parts funktion funktionen methode methoden klasse klassen konstante ' +
    'konstanten variablen abschnitt abschnitte typ schlüssel regel regeln tests eintrag einträge abhängigkeit ' +
    'abhängigkeiten функция функцию функции функций метод методы метода класс классы константу константы ' +
    'константа переменную переменные раздел разделы секцию секция тип типы ключ ключи тест тесты правило ' +
    'правила маршрут зависимость код fonction fonctions méthode méthodes classe constante section función ' +
    'funciones método métodos clase constante função funções seção sección',
)
/** Kinds that are values of one line, or stand in functions as well. */
export const VALUE_KINDS = words(
  'constant constants variable variables const field fields property properties attribute attributes import ' +
    'imports option options konstanten variablen константы переменные',
)
/** Kinds whose names are titles: capitals do not matter. */
export const TITLE_KINDS = words('section sections heading headings header abschnitt раздел секцию sección seção')

/** Words in front of a name that say nothing else. */
export const DETERMINERS = words(
  'the this that these those both all every each any its their our my your following two three four old ' +
    'former whole entire existing obsolete deprecated unused dead legacy duplicate duplicated redundant ' +
    'unnecessary unneeded superfluous unreachable other broken private public static async now-unused ' +
    'no-longer-used der die das den dem diese dieser beide beiden alle alte alten alter unbenutzte ' +
    'unbenutzten ungenutzte ungenutzten überflüssige toten tote folgende folgenden le la les cette ces deux ' +
    'ancienne inutilisées el los las esta estas o a os as эту этот эти обе все старую старый старые ' +
    'неиспользуемую неиспользуемый неиспользуемые неиспользуемых лишние лишнюю мёртвый мертвый ненужные ' +
    'ненужную устаревшую устаревшие следующие',
)
/** Words in front of a kind that choose the things which nobody uses. */
export const UNUSED = words(
  'unused dead deprecated obsolete legacy redundant duplicate duplicated unnecessary unneeded superfluous ' +
    'unreachable now-unused unbenutzte unbenutzten ungenutzte ungenutzten überflüssige toten tote inutilisées ' +
    'неиспользуемые неиспользуемый неиспользуемых лишние мёртвый мертвый ненужные устаревшие',
)
export const ALL = words('all every other both alle все')
/** Words for whatever is not named. */
export const EVERYTHING = words('everything rest others else')

export const AND = words(', & + and or und oder et ou y o e и или plus as-well-as sowie')
/** Words behind the object that leave it what it is. */
export const ENDS = words(
  ': • . ; ( ) -> from in to into with by as since because completely entirely altogether please too ' +
    'instead everywhere again now first aus von vom in im durch zu nach als bitte ganz vollständig komplett ' +
    'um из в во на полностью совсем пожалуйста целиком de des du dans en par por con em pois',
)
/** Words behind which the thing stands that is used in place of another. */
export const REPLACES = words('with by for durch par por на')
/** Words that a new name follows. */
export const BECOMES = words('to into -> as with by in zu nach als durch on en par por à a в на')
/** Words that end the object and say when, why or of what. */
export const STOPS = words(
  'after before when whenever if where that which who so for of on at using while unless until once via ' +
    'through under above below than like such during inside within out off without except besides but is are ' +
    "was were isn't aren't has have does do nachdem wenn falls weil bevor für bei mit ist sind wird werden " +
    'после до когда если чтобы для у при с над под больше est sont quand si pour cuando para es son',
)
/** Words behind the subject of a statement. */
export const COPULAS = words(
  "is are was were isn't aren't has have ist sind wird werden больше не теперь est sont es son seem seems",
)
export const PRONOUNS = words('it them both these those sie es ihn diese её ее его их это la le les lo los las ambos')
/** Determiners of something new, which is no name. */
export const NEW = words('a an some one ein eine einen une un una um uma новую новый новое')
/** Verbs that are names of functions as well: behind "and" they may begin what is asked for next. */
export const COMMON_VERBS = words(
  'add save load run write print return use make update fix test close open read move sort keep call create ' +
    'check start stop send get set put log parse build format render validate handle process format reload ' +
    'refresh commit push clean simplify improve document rename remove delete extract split convert merge ' +
    'show hide',
)
