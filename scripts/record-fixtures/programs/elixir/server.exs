Code.require_file("cart.exs", __DIR__)
Logger.configure_backend(:console, format: "$time [$level] $message\n", colors: [enabled: false])
{:ok, till} = GenServer.start(Shop.Till, nil)
catch_exit = fn -> try do GenServer.call(till, :sell) catch :exit, _ -> :ended end end
IO.inspect(catch_exit.())
Process.sleep(200)
