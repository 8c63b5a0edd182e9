using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace Acme.Shop
{
    public class Line
    {
        public string Name;
        public int? Price;
    }

    public class Cart<T> where T : Line
    {
        private readonly List<T> lines;

        public Cart(List<T> lines)
        {
            if (lines == null) throw new ArgumentNullException("lines");
            this.lines = lines;
        }

        public int Total
        {
            get { return lines.Sum(line => line.Price.Value); }
        }

        public K Find<K>(string name, Func<T, K> map)
        {
            return map(lines.First(line => line.Name == name));
        }

        public class Till
        {
            public static void Open()
            {
                throw new InvalidOperationException("till is locked:\n  call the manager");
            }
        }
    }

    public static class Program
    {
        static async Task<int> Pay(Cart<Line> cart)
        {
            await Task.Yield();
            return cart.Total;
        }

        static async Task Checkout()
        {
            int paid = await Pay(new Cart<Line>(new List<Line> { new Line { Name = "tea" } }));
            Console.WriteLine(paid);
        }

        static IEnumerable<int> Prices(List<Line> lines)
        {
            foreach (Line line in lines) yield return line.Price.Value;
        }

        static void Nested()
        {
            try
            {
                Cart<Line>.Till.Open();
            }
            catch (InvalidOperationException e)
            {
                throw new ApplicationException("cannot sell", e);
            }
        }

        static void Start()
        {
            try
            {
                Nested();
            }
            catch (ApplicationException e)
            {
                throw new Exception("shop is closed", e);
            }
        }

        static int Depth(int n)
        {
            if (n == 0) throw new Exception("bottom");
            return Depth(n - 1) + 1;
        }

        public static void Main(string[] args)
        {
            List<Line> lines = new List<Line> { new Line { Name = "tea" } };
            switch (args[0])
            {
                case "plain": new Cart<Line>(null); break;
                case "lambda": Console.WriteLine(new Cart<Line>(lines).Total); break;
                case "generic": new Cart<Line>(lines).Find<string>("milk", line => line.Name); break;
                case "nested": Cart<Line>.Till.Open(); break;
                case "inner": Start(); break;
                case "async": Checkout().Wait(); break;
                case "awaited": Checkout().GetAwaiter().GetResult(); break;
                case "iterator": Prices(lines).ToArray(); break;
                case "local":
                    string wanted = args.Length > 1 ? args[1] : "milk";
                    Func<Line, bool> isWanted = line => { if (line.Name != wanted) throw new KeyNotFoundException(wanted); return true; };
                    lines.Count(isWanted);
                    break;
                case "recursion": Depth(20); break;
                case "aggregate":
                    Task.WaitAll(Task.Run(() => Cart<Line>.Till.Open()), Task.Run(() => { new Cart<Line>(null); }));
                    break;
                case "reflection": typeof(Program).GetMethod("Nested", System.Reflection.BindingFlags.NonPublic | System.Reflection.BindingFlags.Static).Invoke(null, null); break;
            }
        }
    }
}
