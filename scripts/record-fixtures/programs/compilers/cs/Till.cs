class Till
{
    static int Total(int[] lines)
    {
        int unused = 1;
        return lines.Sum() + missing;
    }

    static void Main() { string price = 17; }
}
