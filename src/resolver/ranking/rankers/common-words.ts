const COMMON = new Set(
  `
  if for while return def class function self this new the not and or in is import from as with try except
  raise throw catch else elif end do const let var public private protected static final void int string bool
  true false null none nil print len str list dict set get type value name data key args kwargs result path
  file line error super async await yield switch case break continue default package func fn impl use mod pub
  match struct enum interface extends implements require include assert main run call init apply object array
  number boolean test
  `
    .trim()
    .split(/\s+/),
)

/** Whether a name is a keyword, or one that half of all files use for something of their own. */
export const isCommonWord = (name: string): boolean => COMMON.has(name)
