require_relative 'broken'
