package com.acme.kiosk

data class Line(val name: String, val price: Int?)

class Cart(private val lines: List<Line>) {
    companion object {
        fun of(lines: List<Line>?): Cart = Cart(requireNotNull(lines) { "no lines" })
    }

    fun total(): Int = lines.sumBy { it.price!! }
}

fun <T> List<T>.second(): T = this[1]

inline fun discounted(price: () -> Int): Int {
    return price() / 2
}

fun main(args: Array<String>) {
    when (args[0]) {
        "plain" -> println(discounted { Cart.of(listOf(Line("tea", null))).total() })
        "companion" -> Cart.of(null)
        "extension" -> listOf(1).second()
        "cause" -> try {
            Cart.of(null)
        } catch (e: IllegalArgumentException) {
            throw IllegalStateException("cannot sell", e)
        }
    }
}
