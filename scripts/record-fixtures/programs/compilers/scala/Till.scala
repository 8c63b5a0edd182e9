object Till {
  def total(lines: List[Int]): Int = lines.total
  val price: Int = "17"
}
