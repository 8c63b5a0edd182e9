fun total(lines: List<Int>): Int {
    val unused = 1
    return lines.total()
}

val price: Int = "17"
