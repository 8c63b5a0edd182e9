package com.acme.stall

case class Line(name: String, price: Option[Int])

trait Priced {
  def lines: List[Line]
  def total: Int = lines.map(line => line.price.get).sum
}

class Cart(val lines: List[Line]) extends Priced

object Shop {
  def sell(cart: Cart): Int = cart.lines match {
    case List(one, two) => cart.total
  }

  def main(args: Array[String]): Unit = args(0) match {
    case "plain" => println(new Cart(List(Line("tea", None))).total)
    case "match" => sell(new Cart(Nil))
    case "cause" =>
      try sell(new Cart(Nil))
      catch { case e: MatchError => throw new IllegalStateException("cannot sell", e) }
    case "future" =>
      import scala.concurrent._
      import scala.concurrent.duration._
      import ExecutionContext.Implicits.global
      Await.result(Future { new Cart(List(Line("tea", None))).total }, 5.seconds)
  }
}
