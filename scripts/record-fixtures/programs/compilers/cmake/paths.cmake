function(find_till)
  find_package(Till REQUIRED)
endfunction()
find_till()
message(WARNING "no till
  in this shop")
